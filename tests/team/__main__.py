"""Install what tests drive and the machine lacks, a browser apart: `python -m tests.team`."""

import shutil
import sys

from tests.browser.chromium import apt_get

# The program, and the package that has it.
PACKAGES = {"haproxy": "haproxy", "soffice": "libreoffice-calc", "pg_ctlcluster": "postgresql"}


def main() -> int:
    """Install the missing programs, or say which to install."""
    missing = [package for program, package in PACKAGES.items() if shutil.which(program) is None]
    if missing:
        apt_get(*missing)
    lacking = [program for program in PACKAGES if shutil.which(program) is None]
    if lacking:
        print(
            f"Tests of the team, the workbook and kept plans need {', '.join(lacking)}. Install it and run this again.",
            file=sys.stderr,
        )
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
