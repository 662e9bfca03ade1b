"""Tools of maintainers; the app and its command line need none of them."""
