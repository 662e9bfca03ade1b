"""Data files that are wrong stop the program with file, line, key and wish; the checked copy is never out of date."""

import os
from pathlib import Path

import pytest

from pricing import load as loading
from pricing.catalogue import KEEP_COPIES, Catalogue, cache_dir
from pricing.errors import CatalogError
from pricing.load import build, load

CHIPS, OFFERS, MACHINES = "accelerators/chips.yaml", "rentals/offers.yaml", "servers/machines.yaml"
PRICE = (
    "{unit: USD/accelerator-hour, checked: 2026-11-01, values: {2026-11-01: {typical: 3, kind: quote, source: lists}}}"
)
SITES = """
sites:
  here: {label: Here, kind: country, parent: there}
  there: {label: There, kind: bloc, parent: here}
"""
CURVE = """
residuals:
  curve: {label: C, age_months: [0, 12], typical: [1.0, 0.6], kind: assumption, source: lists}
"""
SCHEDULE = """
schedules:
  three: {label: Three years, jurisdiction: US, shares_by_year: [0.5, 0.3, 0.2], source: lists}
"""

# Text in a small file that goes well, what stands there instead, where that is noticed, and what is wanted.
WRONG_TEXT = [
    ("no-about", CHIPS, "about:", "sources_of:", "about", "missing"),
    ("unknown-section", MACHINES, "servers:", "machines:", "machines", "there is no such key"),
    ("unknown-key", CHIPS, "vendor: NVIDIA\n", "vendor: NVIDIA\n    wattage: 700\n", "wattage", "there is no such key"),
    ("repeated-key", CHIPS, "kind: gpu\n", "kind: gpu\n    kind: gpu\n", "H100-SXM5-80GB", "'kind' stands here twice"),
    ("repeated-day", OFFERS, "2026-05-01:", "2026-11-01:", "values", "stands here twice"),
    ("alias", CHIPS, "label: H100 SXM5 80 GB", "label: *name", "label", "aliases"),
    ("anchor", CHIPS, "vendor: NVIDIA\n", "vendor: &maker NVIDIA\n", "vendor", "anchors"),
    ("tag", CHIPS, "vendor: NVIDIA\n", "vendor: !!str NVIDIA\n", "vendor", "tags"),
    ("not-yaml", CHIPS, "aliases: [H100-SXM,", "aliases: [H100-SXM]]", "", "not YAML"),
    ("quoted-number", OFFERS, "typical: 3.5,", 'typical: "3.5",', "2026-05-01.typical", "want a number, got '3.5'"),
    ("word-for-number", OFFERS, "typical: 3.5,", "typical: NO,", "2026-05-01.typical", "want a number, got 'NO'"),
    ("truth-for-number", OFFERS, "typical: 3.5,", "typical: true,", "2026-05-01.typical", "want a number, got"),
    ("comma-for-point", OFFERS, "typical: 3.5,", "typical: '3,5',", "2026-05-01.typical", "want a number, got '3,5'"),
    ("number-for-text", CHIPS, "label: H100 SXM5 80 GB", "label: 1.10", "H100-SXM5-80GB.label", "want text, got 1.1"),
    ("not-a-number", OFFERS, "typical: 3.5,", "typical: .nan,", "2026-05-01.typical", "trap"),
    ("nothing-for-number", OFFERS, "typical: 3.5,", "typical: null,", "2026-05-01.typical", "want a number, got"),
    ("huge-number", OFFERS, "typical: 3.5,", "typical: 1e999,", "2026-05-01.typical", "too large"),
    ("wrong-order", OFFERS, "low: 3.8", "low: 4.1", "values.2026-11-01", "low <= typical <= high, got 4.1, 4.0, 4.2"),
    ("checked-too-early", OFFERS, "checked: 2026-11-10", "checked: 2026-10-31", "hour", "on or after the newest value"),
    ("no-such-day", OFFERS, "checked: 2026-11-10", "checked: 2026-11-31", "checked", "not a day of the calendar"),
    ("half-a-day", OFFERS, "checked: 2026-11-10", "checked: 2026-11", "checked", "such as 2026-11-21, got '2026-11'"),
    ("no-values", CHIPS, "{2022-09-01: {typical: 80, kind: spec, source: maker}}", "{}", "memory_gb.values",
     "at least 1"),
    ("unknown-unit", CHIPS, "{unit: GB,", "{unit: GiB,", "memory_gb.unit", " GB, "),
    ("wrong-unit", CHIPS, "{unit: GB,", "{unit: GB/s,", "H100-SXM5-80GB", "memory_gb: want the unit 'GB', got 'GB/s'"),
    ("unknown-value-kind", OFFERS, "kind: list_price, source: lists}\n", "kind: rumour, source: lists}\n", "kind",
     " quote, "),
    ("unknown-chip-kind", CHIPS, "    kind: gpu\n", "    kind: npu\n", "H100-SXM5-80GB.kind", "one of gpu, "),
    ("unknown-purchase", OFFERS, "purchase: spot,", "purchase: spott,", "spot.purchase", " spot, "),
    ("unknown-area", OFFERS, "area: europe", "area: EU", "area", " europe, "),
    ("unknown-doubt", OFFERS, "doubts: [component_only]", "doubts: [bad]", "doubts.0", "one of component_only, "),
    ("unknown-road", OFFERS, "via: official_page", "via: rumour", "sources.lists.via", " official_page, "),
    ("bare-address", OFFERS, "https://example.org/prices", "example.org/prices", "sources.lists.url", "https://"),
    ("month-as-launch", CHIPS, "vendor: NVIDIA\n", "vendor: NVIDIA\n    launched: September\n", "launched", "like"),
    ("no-accelerator", OFFERS, "accelerators_per_instance: 8\n", "accelerators_per_instance: 0\n", "instance",
     "want a number, 1 or more, got 0"),
    ("half-an-accelerator", OFFERS, "accelerators_per_instance: 8\n", "accelerators_per_instance: 0.5\n",
     "instance", "want a whole number, got 0.5"),
    ("too-many", MACHINES, "H100-SXM5-80GB, accelerators: 8", "H100-SXM5-80GB, accelerators: 100001", "rs",
     "at most 100,000, got 100001"),
    ("price-of-machine", OFFERS, "hour: 32\n", "hour: 4\n", "eu-1/on_demand", "price per accelerator x 8"),
    ("free-machine", OFFERS, "hour: 32\n", "hour: 0\n", "usd_per_instance_hour", "want a number above 0, got 0"),
    ("space-in-front", OFFERS, "  northcloud: {", '  " northcloud": {', "providers. northcloud", "want text like"),
    ("long-text", CHIPS, "vendor: NVIDIA\n", f"vendor: {'x' * 2_001}\n", "vendor", "at most 2,000 characters"),
    ("one-candidate", CHIPS, "[H100-SXM5-80GB, H100-PCIe-80GB]", "[H100-SXM5-80GB]", "H100.candidates",
     "want at least 2 entries, got 1"),
    # what only shows when all files lie side by side
    ("undeclared-source", OFFERS, "high: 4.2, kind: list_price, source: lists",
     "high: 4.2, kind: quote, source: nobody",
     "offers.northcloud/H100-SXM5-80GB/8x/eu-1/on_demand", "cites the source 'nobody', which no file declares"),
    ("undeclared-mig-source", CHIPS, "vendor: NVIDIA\n", "vendor: NVIDIA\n    mig_source: nobody\n",
     "accelerators.H100-SXM5-80GB", "cites the source 'nobody'"),
    ("never-cited", CHIPS, "sources:\n",
     "sources:\n  idle: {title: T, url: docs/x, retrieved: 2026-01-01, via: ours, licence: MIT}\n",
     "sources.idle", "nothing cites it"),
    ("unknown-provider", OFFERS, "provider: northcloud\n", "provider: nortcloud\n", "on_demand",
     "nothing is called 'nortcloud'"),
    ("unknown-chip", OFFERS, "accelerator: H100, ", "accelerator: H101, ", "global/spot", "nothing is called 'H101'"),
    ("unknown-chip-in-server", MACHINES, "accelerator: H100-SXM5-80GB", "accelerator: H101", "HGX-H100-8", "'H101'"),
    ("ambiguous-in-server", MACHINES, "accelerator: H100-SXM5-80GB", "accelerator: H100", "HGX-H100-8", "'H100'"),
    ("unknown-candidate", CHIPS, "[H100-SXM5-80GB, H100-PCIe-80GB]", "[H100-SXM5-80GB, H101]", "ambiguous.H100",
     "'H101'"),
]  # fmt: skip

# Something put at the end of a file that goes well.
WRONG_ADDITION = [
    ("site-circle", MACHINES, SITES, "sites.here", "comes back to itself"),
    ("site-orphan", MACHINES, SITES.replace("parent: here", "parent: nowhere"), "sites.there", "called 'nowhere'"),
    ("site-unit", MACHINES, SITES.replace("parent: here", f"pue: {PRICE}"), "sites.there", "pue: want the unit '1'"),
    ("shares-over-one", OFFERS, SCHEDULE.replace("0.2]", "0.3]"), "schedules.three", "sum to 1, got 1.100000"),
    ("share-of-nothing", OFFERS, SCHEDULE.replace("0.2]", "0]"), "shares_by_year.2", "want a number above 0, got 0"),
    ("ages-fall", OFFERS, CURVE.replace("[0, 12]", "[12, 0]"), "residuals.curve", "ages in months that rise"),
    ("age-without-share", OFFERS, CURVE.replace("[1.0, 0.6]", "[1.0]"), "residuals.curve", "want 2 shares"),
    ("curve-of-nothing", OFFERS, CURVE.replace("age_", "accelerators: [H101], age_"), "residuals.curve", "'H101'"),
    ("record-twice", MACHINES, "providers:\n  northcloud: {label: N, kind: neocloud}\n", "providers.northcloud",
     "already in"),
    ("second-document", MACHINES, "---\nabout: x\n", "", "one document"),
]  # fmt: skip


def refusal(contents: dict[str, bytes]) -> CatalogError:
    with pytest.raises(CatalogError) as raised:
        build(contents, digest="d")
    return raised.value


def changed(contents: dict[str, bytes], file: str, old: str, new: str) -> dict[str, bytes]:
    text = contents[file].decode()
    assert old in text, "the row of the table no longer fits the small catalogue"
    return contents | {file: text.replace(old, new, 1).encode()}


def says(error: CatalogError, file: str, key: str, wish: str) -> bool:
    return error.place.file == file and error.place.key.endswith(key) and wish in error.wanted and wish in str(error)


@pytest.mark.parametrize(
    ("file", "old", "new", "key", "wish"), [row[1:] for row in WRONG_TEXT], ids=[row[0] for row in WRONG_TEXT]
)
def test_a_wrong_file_is_refused_with_its_place_and_the_wish(
    contents: dict[str, bytes], file: str, old: str, new: str, key: str, wish: str
) -> None:
    error = refusal(changed(contents, file, old, new))
    assert says(error, file, key, wish), str(error)
    assert len(str(error)) < 600


@pytest.mark.parametrize(
    ("file", "addition", "key", "wish"), [row[1:] for row in WRONG_ADDITION], ids=[row[0] for row in WRONG_ADDITION]
)
def test_a_wrong_addition_is_refused_with_its_place_and_the_wish(
    contents: dict[str, bytes], file: str, addition: str, key: str, wish: str
) -> None:
    error = refusal(contents | {file: contents[file] + addition.encode()})
    assert says(error, file, key, wish), str(error)


WRONG_BYTES = [
    ("latin-1", "label: Zürich".encode("latin-1"), "want UTF-8 text, got byte 0xfc at 8"),
    ("utf-16", "about: x".encode("utf-16"), "want UTF-8 text"),
    ("empty", b"", "want a group of keys, got"),
    ("only-a-remark", b"# nothing yet\n", "want a group of keys, got"),
    ("a-list", b"- about: x\n", "want a group of keys, got"),
    ("a-word", b"about", "want a group of keys, got"),
    ("about-nothing", b"about:\n", "want text, got nothing"),
    ("too-large", b"about: " + b"x" * 1_000_001, "at most 1,000,000 bytes"),
]


@pytest.mark.parametrize(("raw", "wish"), [row[1:] for row in WRONG_BYTES], ids=[row[0] for row in WRONG_BYTES])
def test_a_file_that_is_no_record_at_all_is_refused(contents: dict[str, bytes], raw: bytes, wish: str) -> None:
    error = refusal(contents | {"new.yaml": raw})
    assert error.place.file == "new.yaml"
    assert wish in error.wanted


def test_the_line_of_a_wrong_value_is_named(contents: dict[str, bytes]) -> None:
    wrong = changed(contents, OFFERS, "typical: 3.5,", 'typical: "3.5",')
    line = next(n for n, text in enumerate(wrong[OFFERS].decode().splitlines(), 1) if '"3.5"' in text)
    assert str(refusal(wrong)).startswith(f"{OFFERS}, line {line}: offers.northcloud/H100-SXM5-80GB/8x/eu-1/on_demand.")


def test_a_wrong_value_is_shown_but_never_at_length(contents: dict[str, bytes]) -> None:
    error = refusal(changed(contents, OFFERS, "typical: 3.5,", f"typical: {'x' * 5_000},"))
    assert "got 'xxx" in str(error)
    assert len(str(error)) < 300


def test_the_same_source_in_two_files_is_refused(contents: dict[str, bytes]) -> None:
    again = b"about: x\nsources:\n  lists: {title: T, url: docs/x, retrieved: 2026-01-01, via: ours, licence: MIT}\n"
    error = refusal(contents | {"z.yaml": again})
    assert says(error, "z.yaml", "sources.lists", f"already in {OFFERS}")


def test_the_small_catalogue_is_whole(small: Catalogue) -> None:
    assert (len(small.offers), len(small.providers), len(small.accelerators), len(small.servers)) == (6, 3, 4, 3)
    assert small.day.isoformat() == "2026-11-21"
    assert small.offers["southcloud/H100-SXM5-80GB/8x/global/on_demand"].usd_per_accelerator_hour is None


# From a folder, with a checked copy


@pytest.fixture
def folder(tmp_path: Path, contents: dict[str, bytes]) -> Path:
    for name, raw in contents.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return tmp_path / "data"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The digests that were built from the files, not taken from a copy."""
    seen: list[str] = []

    def counted(contents: dict[str, bytes], digest: str) -> Catalogue:
        seen.append(digest)
        return build(contents, digest)

    monkeypatch.setattr(loading, "build", counted)
    return seen


def copies(cache: Path) -> list[Path]:
    return sorted(cache.glob("catalogue-*.json"))


def test_the_second_load_reads_the_copy_and_gets_the_same(folder: Path, cache: Path, builds: list[str]) -> None:
    first, second, without = load(folder, cache=cache), load(folder, cache=cache), load(folder)
    assert first == second == without
    assert first.model_dump_json() == second.model_dump_json() == without.model_dump_json()
    assert len(builds) == 2, "once for the first load, once for the load without a copy"
    assert len(copies(cache)) == 1


def test_a_changed_byte_changes_the_digest_and_is_never_served_from_an_old_copy(
    folder: Path, cache: Path, builds: list[str]
) -> None:
    before = load(folder, cache=cache)
    offers = folder / OFFERS
    offers.write_bytes(offers.read_bytes().replace(b"typical: 3.5,", b"typical: 3.6,"))
    after = load(folder, cache=cache)
    assert before.digest != after.digest
    assert builds == [before.digest, after.digest]
    assert len(copies(cache)) == 2


def test_a_remark_a_new_name_and_a_new_file_change_the_digest(folder: Path) -> None:
    digests = [load(folder).digest]
    (folder / MACHINES).write_bytes((folder / MACHINES).read_bytes() + b"# looked at again\n")
    digests.append(load(folder).digest)
    (folder / MACHINES).rename(folder / "servers" / "other.yaml")
    digests.append(load(folder).digest)
    (folder / "more.yaml").write_bytes(b"about: nothing yet\n")
    digests.append(load(folder).digest)
    assert len(set(digests)) == 4


def test_files_that_are_not_yaml_are_no_data(folder: Path) -> None:
    before = load(folder)
    (folder / "README.md").write_text("# How to add a price\n")
    assert load(folder) == before


def test_other_code_reads_no_copy_of_this_code(
    folder: Path, cache: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(folder, cache=cache)
    monkeypatch.setattr(loading, "_code_digest", lambda: "another version of the program")
    load(folder, cache=cache)
    assert len(builds) == 2
    assert len(copies(cache)) == 2


def _flipped(raw: bytes) -> bytes:
    return raw.replace(b'"typical":3.5', b'"typical":0.5')


SPOILT = [
    ("emptied", lambda raw: b""), ("cut-short", lambda raw: raw[: len(raw) // 2]),
    ("one-byte-short", lambda raw: raw[:-1]), ("without-seal", lambda raw: raw.partition(b"\n")[2]),
    ("a-price-changed", _flipped), ("not-json", lambda raw: b"\xff\xfe not a copy"), ("other-json", lambda raw: b"{}"),
]  # fmt: skip


@pytest.mark.parametrize("spoil", [row[1] for row in SPOILT], ids=[row[0] for row in SPOILT])
def test_a_damaged_copy_is_made_again(folder: Path, cache: Path, builds: list[str], spoil: object) -> None:
    good = load(folder, cache=cache)
    (copy,) = copies(cache)
    whole = copy.read_bytes()
    assert callable(spoil)
    copy.write_bytes(spoil(whole))
    assert copy.read_bytes() != whole
    assert load(folder, cache=cache) == good
    assert len(builds) == 2
    assert copy.read_bytes() == whole


def test_a_whole_copy_of_other_data_under_this_name_is_not_believed(
    folder: Path, cache: Path, builds: list[str], tmp_path: Path
) -> None:
    good = load(folder, cache=cache)
    (copy,) = copies(cache)
    (folder / "more.yaml").write_bytes(b"about: nothing yet\n")
    load(folder, cache=tmp_path / "elsewhere")
    (foreign,) = copies(tmp_path / "elsewhere")
    (folder / "more.yaml").unlink()
    copy.write_bytes(foreign.read_bytes())
    assert load(folder, cache=cache) == good
    assert len(builds) == 3


def test_where_no_copy_can_be_kept_the_catalogue_is_still_read(folder: Path, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    assert load(folder, cache=in_the_way / "cache") == load(folder)
    copy_is_a_folder = tmp_path / "cache"
    load(folder, cache=copy_is_a_folder)
    (copy,) = copies(copy_is_a_folder)
    copy.unlink()
    copy.mkdir()
    assert load(folder, cache=copy_is_a_folder) == load(folder)
    assert [path.name for path in copy_is_a_folder.iterdir()] == [copy.name], "no half-written file is left behind"


def test_a_full_disk_costs_only_the_copy(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert load(folder, cache=cache) == load(folder)
    assert list(cache.iterdir()) == []


def test_old_copies_are_cleared_away_and_nothing_else(folder: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / "letters.txt").write_text("mine")
    for number in range(KEEP_COPIES + 3):
        (folder / "more.yaml").write_text(f"about: version {number}\n")
        newest = load(folder, cache=cache)
        for age, copy in enumerate(sorted(copies(cache), key=lambda path: path.stat().st_mtime_ns)):
            os.utime(copy, ns=(age, age))  # far enough apart for any file system
        assert len(copies(cache)) <= KEEP_COPIES
    assert len(copies(cache)) == KEEP_COPIES
    assert any(newest.digest.encode() in copy.read_bytes() for copy in copies(cache))
    assert (cache / "letters.txt").read_text() == "mine"


def test_a_copy_is_the_users_own(folder: Path, cache: Path) -> None:
    load(folder, cache=cache)
    (copy,) = copies(cache)
    assert copy.stat().st_mode & 0o077 == 0
    assert cache.stat().st_mode & 0o077 == 0


def test_a_wrong_file_is_refused_on_every_load_and_leaves_no_copy(folder: Path, cache: Path) -> None:
    (folder / "wrong.yaml").write_text("about: x\nprices: {}\n")
    for _ in range(2):
        with pytest.raises(CatalogError, match=r"^wrong\.yaml, line 2: prices: "):
            load(folder, cache=cache)
    assert copies(cache) == []


def test_a_folder_without_data_is_an_error_and_not_an_empty_catalogue(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"want at least one \.yaml file"):
        load(tmp_path)


def test_the_cache_stands_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "rent-or-buy"


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(homeless))
    assert cache_dir() is None
