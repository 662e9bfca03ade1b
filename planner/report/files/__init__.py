"""Files that leave the program: CSV for a finance team, JSON and the schemas that describe it, sweeps."""
