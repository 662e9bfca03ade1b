"""What others published about buying and renting, calculated again by this engine: each case is plain Python."""
