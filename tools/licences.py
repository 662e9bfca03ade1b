"""Prints the licence of each package that the app installs: docs/licences.md, from the bill of materials.

`make lock` calls it. A package whose licence nobody has looked at stops it: add it to READ, or do without the package.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BILL = ROOT / "docs" / "packages.cdx.json"

# Licences that allow use and distribution of this program, and what each wants of whoever passes it on.
DUTIES = {
    **dict.fromkeys(("MIT", "MIT-CMU", "BSD-2-Clause", "BSD-3-Clause", "PSF-2.0", "Zlib"), "keep its notice"),
    **dict.fromkeys(("MIT-0", "0BSD", "CC0-1.0"), ""),
    "Apache-2.0": "keep its notice, say what was changed",
    "MPL-2.0": "pass on the source of its own changed files",
    "LGPL-3.0-only": "pass on its source, let others replace it; optional here",
}
# What the licence file in the package says, where its metadata gives no identifier of SPDX.
READ = {
    "altair": "BSD-3-Clause", "authlib": "BSD-3-Clause", "certifi": "MPL-2.0", "httpx": "BSD-3-Clause",
    "itsdangerous": "BSD-3-Clause", "jinja2": "BSD-3-Clause", "joserfc": "BSD-3-Clause",
    "locket": "BSD-2-Clause", "partd": "BSD-3-Clause", "protobuf": "BSD-3-Clause", "pydeck": "Apache-2.0",
    "requests": "Apache-2.0", "scipy": "BSD-3-Clause", "sortedcontainers": "Apache-2.0", "tornado": "Apache-2.0",
    "uvloop": "MIT OR Apache-2.0", "zict": "BSD-3-Clause",
}  # fmt: skip

HEAD = """# Licences of the packages

Written by `make lock` from [the bill of materials](packages.cdx.json) (CycloneDX). These are installed; none
is copied into this repository but icons of Material Symbols (Apache-2.0). Tools that only develop and test the program
(`requirements-dev.in`) are not passed on with it and not listed.

| Package | Version | Licence | What whoever passes it on has to do |
|---|---|---|---|
"""


def licences(bill: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return name, version and licence of each package of a bill."""
    for package in sorted(bill["components"], key=lambda each: str(each["name"]).casefold()):
        choices = [entry.get("expression") or entry["license"].get("id", "") for entry in package.get("licenses", ())]
        licence = READ.get(package["name"].casefold()) or " ".join(choices)
        yield package["name"], package["version"], licence


def duties(licence: str) -> str:
    """Return the duties of a licence, the lightest where there is a choice; KeyError for one that nobody has read."""
    choices = [[DUTIES[part] for part in choice.split(" AND ")] for choice in licence.split(" OR ")]
    return min(("; ".join(dict.fromkeys(filter(None, choice))) for choice in choices), key=len) or "nothing"


def table(bill: Mapping[str, Any]) -> str:
    """Return the page."""
    rows = ((name, version, licence, duties(licence)) for name, version, licence in licences(bill))
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    sys.stdout.write(table(json.loads(BILL.read_text(encoding="utf-8"))))
