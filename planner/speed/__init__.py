"""Does it fit, how fast, how many hours: predicted from what a model is made of and what a machine can do."""
