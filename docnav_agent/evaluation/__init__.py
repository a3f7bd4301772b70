"""Batch evaluation: data sets in one form, systems on the same paragraphs and budget, metrics, intervals and a report."""
