"""Serving runs: rows read, predicted, checked and fitted to."""
