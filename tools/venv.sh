#!/bin/sh
# Brings .venv in line with a requirements file. Needs no network, and next to no time, when it already is.
# usage: tools/venv.sh requirements.txt | requirements-dev.txt      (PYTHON=python3.12 picks the interpreter)
set -eu
cd "$(dirname "$0")/.."
wanted=$1
stamp=.venv/installed-$wanted
begun=.venv/installing  # stays where an installation is cut off, which leaves packages in halves
in_range='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'

say() { printf '%s\n' "$*" >&2; }
runs() { "$1" -c "$in_range" >/dev/null 2>&1; }
has_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
contents() { if [ "$1" = requirements.txt ]; then cat "$1"; else cat requirements.txt "$1"; fi; }

find_python() {
    incomplete=
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else set -- python3.14 python3.13 python3.12 python3.11 python3; fi
    for candidate; do
        runs "$candidate" || continue
        if has_venv "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
        incomplete=${incomplete:-$candidate}
    done
    if [ -n "$incomplete" ]; then
        version=$("$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        say "$incomplete (Python $version) is here, but its venv module is not: it comes in a package of its own."
        say "Install it (Debian, Ubuntu: sudo apt install python$version-venv) and run this again."
    elif [ -n "${PYTHON:-}" ]; then
        say "PYTHON=$PYTHON is not a Python 3.11, 3.12, 3.13 or 3.14. Name one that is, or leave PYTHON out."
    else
        say "This needs Python 3.11, 3.12, 3.13 or 3.14, and none is on the PATH."
        say "Install one (Debian, Ubuntu: sudo apt install python3 python3-venv; macOS: brew install python@3.13;"
        say "anywhere: https://www.python.org/downloads/), or name it: make app PYTHON=/path/to/python3"
    fi
    return 1
}

if contents "$wanted" | cmp -s - "$stamp" && runs .venv/bin/python; then
    exit 0
fi
if [ -e "$begun" ] || ! runs .venv/bin/python || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    say "Making .venv with $python ..."
    "$python" -m venv --clear .venv
fi
say "Installing $wanted into .venv (the first time this takes about a minute) ..."
: >"$begun"
if ! .venv/bin/python -m pip install -qq --disable-pip-version-check --requirement "$wanted"; then
    rm -f "$begun"
    say "The packages could not be installed; the reason stands above. This step needs the Python package index once;"
    say "afterwards the app runs without a network."
    exit 1
fi
# A stamp holds the text itself, not a time: a fresh checkout changes every time, and nothing else.
contents "$wanted" >"$stamp"
contents requirements.txt >.venv/installed-requirements.txt
rm -f "$begun"
