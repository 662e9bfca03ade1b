"""What the work asks for: accelerators and hours by month, what comes and goes, how long jobs queue."""
