"""The catalogue for a reader: everything known of one thing, sources and overdue figures, the inputs of a plan."""
