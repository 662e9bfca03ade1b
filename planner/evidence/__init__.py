"""What is known of how fast things run: published runs and one's own, each beside what is predicted of it.

A table is read and each of its rows checked; constants are fitted to runs, and judged by runs that the fit has not
seen; one's own runs become factors that a scenario carries. `planner.speed` knows nothing of this room.
"""
