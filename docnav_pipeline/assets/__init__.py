"""Thin assets, one file per table, over the plain functions of `docnav_pipeline.transforms`."""
