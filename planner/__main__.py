"""`python -m planner`."""

import gc
import os
import signal
import sys
from typing import NoReturn


class _Stopped(KeyboardInterrupt):
    """Ctrl-C. Python's own ends the process by a signal, not with 130, where it comes while a dataclass is made."""


def _stop(*_: object) -> NoReturn:
    raise _Stopped


def run() -> NoReturn:
    """Run the command line, and end the process with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where Ctrl-C is to be ignored
        signal.signal(signal.SIGINT, _stop)
    gc.set_threshold(100_000, 20, 20)  # the catalogue stays to the end: to look through it again finds nothing
    try:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: its matrices here are small
        from planner.cli import main

        ended = main()
    except KeyboardInterrupt:  # while it still loads
        sys.stderr.write("Stopped.\n")
        ended = 130
    sys.exit(ended)


if __name__ == "__main__":
    run()
