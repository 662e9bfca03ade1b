"""How sure the answer is, for a reader: counted futures, what would turn them, waiting with the order."""
