"""Benchmarks: scripts whose output stands in docs/benchmarks.md."""
