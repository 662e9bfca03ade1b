"""What the catalogue knows: of one thing, of the figures that are overdue, of the old ones in an answer."""
