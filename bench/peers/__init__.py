"""Other programs that predict speed, on the very rows that ours is held against. Asked for by `make bench-peers`."""
