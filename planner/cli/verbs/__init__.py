"""What can be said on the command line: one module for the words of each verb. None loads what does the work."""

from planner.cli.verbs import (
    cheapest,
    check,
    compare,
    facts,
    held,
    plan,
    prices,
    publish_prices,
    refresh,
    schema,
    serve,
    stale,
    sweep,
    train,
    watch,
)

VERBS = (prices, refresh, held, publish_prices, watch, facts, train, serve, cheapest, plan, compare,
         sweep, check, stale, schema)  # fmt: skip
