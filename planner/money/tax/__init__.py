"""Tax: the rules of the books, and the lines that they add to a ledger."""
