"""Kept plans."""
