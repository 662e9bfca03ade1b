"""Training runs: rows read, predicted and checked."""
