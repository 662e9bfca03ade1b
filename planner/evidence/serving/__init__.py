"""Serving runs: rows read, predicted and checked."""
