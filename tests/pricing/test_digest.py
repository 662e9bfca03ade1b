"""The digest of the catalogue: what it counts beside the facts, and the one line that it does not."""

from pathlib import Path

import pytest

from pricing.errors import CatalogError
from pricing.load import load

MACHINES = "servers/machines.yaml"
LINE = b"# yaml-language-server: $schema=../../../schemas/servers.json\n"


@pytest.fixture
def folder(tmp_path: Path, contents: dict[str, bytes]) -> Path:
    for name, raw in contents.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
    return tmp_path


def test_the_line_that_names_a_schema_to_editors_is_no_fact_and_leaves_the_digest_alone(folder: Path) -> None:
    before = load(folder)
    machines = (folder / MACHINES).read_bytes()
    for line in (LINE, LINE.replace(b"servers", b"machines"), LINE.replace(b"\n", b"\r\n")):
        (folder / MACHINES).write_bytes(line + machines)
        assert load(folder) == before


@pytest.mark.parametrize("other", [
    pytest.param(LINE * 2, id="twice"),
    pytest.param(b"\n" + LINE, id="not first"),
    pytest.param(LINE.replace(b"# ", b"#  "), id="another remark"),
    pytest.param(LINE.replace(b"\n", b" of Tuesday\n"), id="more on the line"),
    pytest.param(LINE.replace(b"\n", b"\r"), id="a line end that hides what follows"),
    pytest.param("# yaml-language-server: $schema=a\u2028b.json\n".encode(), id="a line end inside"),
])  # fmt: skip
def test_whatever_only_looks_like_that_line_changes_the_digest(folder: Path, other: bytes) -> None:
    digest = load(folder).digest
    (folder / MACHINES).write_bytes(other + (folder / MACHINES).read_bytes())
    try:
        assert load(folder).digest != digest
    except CatalogError:
        return  # refused, so nothing was taken for what it was before
