"""Published cases of buying and renting, reckoned again with this engine."""
