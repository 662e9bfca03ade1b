"""The worth of a dated price today: one estimator for every rental price, from the catalogue's own histories."""

from pricing.belief.believe import PriceEstimate, PriceEstimates, believed, in_their_markets, worth_alone

__all__ = ["PriceEstimate", "PriceEstimates", "believed", "in_their_markets", "worth_alone"]
