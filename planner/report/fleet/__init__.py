"""The fleet of a plan through time: when it is ordered, when it is there, and how much of it the work wants."""
