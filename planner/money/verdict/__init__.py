"""The verdict of a plan: what competes, within which limits of money, where both sides break even."""
