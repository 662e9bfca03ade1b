"""What can be said on the command line: one module for the words of each verb. None loads what does the work."""

from planner.cli.verbs import calibrate, cheapest, check, compare, plan, prices, schema, serve, sweep, train

VERBS = (prices, train, serve, cheapest, plan, compare, sweep, check, calibrate, schema)
