"""Uncertainty of the answer for a reader: futures, inputs, charts."""
