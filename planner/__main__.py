"""`python -m planner`."""

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: its matrices here are small

from planner.cli import main

sys.exit(main())
