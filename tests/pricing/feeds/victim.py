"""A refresh in a process of its own, to be killed: `python -m tests.pricing.feeds.victim URL FOLDER`."""

import sys
from pathlib import Path

from tests import frozen

if __name__ == "__main__":
    frozen.freeze()
    from pricing.feeds.refresh import Ways, refresh
    from tests.pricing.feeds.made import BRISK, HOST, source

    url, folder = sys.argv[1:]
    ways = Ways(environ={"RENT_OR_BUY_DATA": folder}, limits=BRISK, at={HOST: url})
    Path(folder).with_suffix(".ready").touch()  # from here on it may be killed at any moment
    refresh([source(f"source{n}") for n in range(6)], ways=ways)
