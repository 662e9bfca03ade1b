"""What the numbers rest on, for a reader: sources, published runs and cases, one's own runs, a measured GPU."""
