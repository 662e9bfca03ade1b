"""A fleet of one's own in stages: its orders, what is there month by month, and orders in time for the work."""
