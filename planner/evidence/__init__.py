"""What is known of how fast things run: published runs and one's own, each beside what is predicted of it.

A table is read and each of its rows checked; runs that somebody measured become factors that a scenario carries.
`planner.speed` knows nothing of this package, and constants are fitted in `tools/calibration`.
"""
