"""Offers and the market of one job for a reader: comparison, findings, prices through time."""
