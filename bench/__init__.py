"""Measurements. Each module here has a `main()` that yields lines of text; `make bench` prints them all."""
