#!/bin/sh
# Writes what is installed, with hashes, from what is wanted (requirements*.in), and what that brings along: the bill of
# materials (CycloneDX) and the table of licences. Needs the Python package index.      usage: make lock
set -eu
cd "$(dirname "$0")/.."
room=build/lock
python=.venv/bin/python
[ -x $room/bin/uv ] || { $python -m venv $room && $room/bin/pip install -q uv==0.13.9 cyclonedx-bom==7.5.0; }

compile() {
    wanted=$1
    shift
    $room/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --custom-compile-command "make lock" "$@" --output-file "${wanted%.in}.txt" "$wanted"
}

compile requirements-dev.in
set --
for wanted in requirements*.in; do
    [ "$wanted" = requirements-dev.in ] && continue
    compile "$wanted" --constraint requirements-dev.txt
    set -- "$@" --requirement "${wanted%.in}.txt"
done

$python -m venv --clear --without-pip $room/installed
$room/bin/pip --python $room/installed/bin/python install -q "$@"
$room/bin/cyclonedx-py environment $room/installed/bin/python --output-reproducible --output-file docs/packages.cdx.json
$python -m tools.licences >docs/licences.md
