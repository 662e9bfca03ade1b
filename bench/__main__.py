"""Runs every measurement, or the ones named: `python -m bench [NAME ...]`."""

import importlib
import pkgutil
import sys
from collections.abc import Iterable

import bench
from bench import TooSlow


def names() -> list[str]:
    """The modules of this folder that measure something here; `measure_...` are run by hand, where a GPU is."""
    found = [one for one in pkgutil.iter_modules(bench.__path__) if not one.ispkg]
    return sorted(one.name for one in found if not one.name.startswith(("_", "measure_")))


def lines_of(name: str) -> Iterable[str]:
    """Print the lines of one module as they are measured."""
    lines: Iterable[str] = importlib.import_module(f"bench.{name}").main()
    return lines


def run(wanted: list[str]) -> int:
    """Print the wanted measurements, by default all. Return the exit status."""
    known = names()
    for name in wanted:
        if name not in known:
            print(f"No measurement is called {name!r}. There are: {', '.join(known) or 'none yet'}.", file=sys.stderr)
            return 2
    status = 0
    for name in wanted or known:
        print(f"{name}:", flush=True)
        try:
            for line in lines_of(name):
                print(f"  {line}", flush=True)
        except TooSlow as limit:
            print(f"  {limit}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
