"""Thousands of futures: what is not certain, how it is drawn, how often each way wins, what turns the answer."""
