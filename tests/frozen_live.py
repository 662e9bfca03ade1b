"""`python -m tests.frozen_live 8501`: the app on the frozen catalogue, whose sources are all played back here."""

import os
import runpy
import sys
from dataclasses import replace
from datetime import date

from planner.web import live_prices, workers
from pricing.feeds.refresh import Ways
from pricing.feeds.sources import feeds
from tests import frozen
from tests.pricing.feeds.made import BRISK
from tests.pricing.feeds.world import environ_of, the_world

PATIENT = replace(BRISK, silent_s=10)  # on a busy machine an answer takes longer than a test of silence waits
LACKS_A_KEY, IS_OUT = "lambda", frozenset({"runpod"})

if __name__ == "__main__":
    frozen.freeze()
    workers.PRELOAD.append("tests.frozen_too")
    secrets = [item for feed in feeds().values() if feed.name != LACKS_A_KEY for item in environ_of(feed).items()]
    with the_world(IS_OUT) as world:
        environ = {**os.environ, **dict(secrets)}
        live_prices.WAYS[:] = [lambda: Ways(environ=environ, at=world.hosts(), limits=PATIENT, day=date.today())]
        sys.argv = ["tools/serve.py", sys.argv[1]]
        runpy.run_path(sys.argv[0], run_name="__main__")
