"""How fast, and does it fit, for a reader: training, serving, pictures, several jobs on one GPU."""
