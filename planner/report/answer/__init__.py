"""The answer of a plan for a reader: sentences, tables, hints, and the document that programs read."""
