"""Thousands of plans: the answer of every point of a grid."""
