"""The best mix for a reader: in words, in tables and as charts."""
