"""The What if page for a reader."""
