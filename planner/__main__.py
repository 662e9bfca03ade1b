"""`python -m planner`."""

import gc
import sys

from planner.cli import main

gc.set_threshold(100_000, 20, 20)  # the catalogue stays to the end: to look through it again and again finds nothing
sys.exit(main())
