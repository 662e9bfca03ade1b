"""Renting: which offer is cheapest, what it bills, how rents move, reservations, and what interruptions cost."""
