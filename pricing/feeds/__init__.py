"""Live prices: read from the sources themselves, checked, and kept beside the bundled facts, never in their place.

The only room that talks to the network.
"""
