"""The demand of the work: accelerators and hours by month, what comes and goes, how long jobs queue."""
