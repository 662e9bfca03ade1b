"""Measurements. Each module here has a `main()` that yields lines of text; `make bench` prints them all."""


class TooSlow(Exception):
    """A measurement beyond its limit. The text says which, and what that means."""
