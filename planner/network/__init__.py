"""Neural networks as counts, made once for training, serving and questions of size."""
