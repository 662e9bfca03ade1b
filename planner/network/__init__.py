"""What a neural network is made of, counted once for whoever trains it, serves it or asks how large it is."""
