"""Saves that are to be killed: a process that forks one child for each word `save`; the child saves until it dies."""

import os
import sys

from tests import frozen

if __name__ == "__main__":
    frozen.freeze()
    from dataclasses import replace

    from planner.store.kept import PlanStore
    from tests.facts import CATALOGUE
    from tests.kept.made import version

    made, child = version(), 0
    for turn, line in enumerate(sys.stdin):
        if line == "save\n":
            ready, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(write, b"!")
                for save in range(1_000):
                    new = replace(made, digest=f"d{turn}-{save}")  # facts of their own: a large save
                    PlanStore().save("Lab", new, CATALOGUE)
                os._exit(0)
            os.read(ready, 1)
            os.close(ready)
            os.close(write)
            print(child, flush=True)
        elif line == "wait\n":
            print("killed" if os.WIFSIGNALED(os.waitpid(child, 0)[1]) else "over", flush=True)
        else:
            print("", flush=True)
            break
