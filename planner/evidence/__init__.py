"""Evidence of speed: published and own runs, each with its prediction.

A table is read and each of its rows checked; runs that somebody measured become factors that a scenario carries.
`planner.speed` knows nothing of this package, and constants are fitted in `tools/calibration`.
"""
