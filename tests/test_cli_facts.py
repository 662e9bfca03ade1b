"""`facts`: everything known of one thing, with ages and sources; what is typed loosely is found."""

import csv
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from planner.cli import BAD_INPUT, OK, main
from pricing import load_catalogue
from pricing.stale import limit_days

DAY = ["--day", "2026-11-21"]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """The facts of a JSON answer."""
    assert main(["facts", *arguments, *DAY, "--json"]) == OK
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["facts"]
    return rows


def by_name(rows: list[dict[str, Any]], about: str) -> dict[str, dict[str, Any]]:
    """One part of the facts."""
    return {row["name"]: row for row in rows if row["about"] == about}


def test_every_figure_of_a_record_is_there_with_its_source_and_age(capsys: pytest.CaptureFixture[str]) -> None:
    rows = by_name(said(capsys, "NVIDIA h100 sxm5 80gb"), "Figures")
    catalogue = load_catalogue()
    record = catalogue.accelerators["H100-SXM5-80GB"]
    there = {name: getattr(record, name) for name in record.FIGURE_UNITS if getattr(record, name) is not None}
    assert set(rows) == set(there)
    for name, figure in there.items():
        value, row = figure.newest, rows[name]
        assert (row["value"], row["low"], row["high"]) == (value.typical, value.low, value.high)
        assert row["source_url"] == catalogue.sources[value.source].url
        assert row["age_days"] == (date(2026, 11, 21) - figure.checked).days
        assert row["overdue"] == (row["age_days"] > limit_days(figure))
    assert any(row["overdue"] for row in rows.values()), "none is old: the mark is not tried"


def test_an_accelerator_has_its_offers_in_counts_and_the_cheapest_believed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = said(capsys, "rtx 4090")
    there = load_catalogue().offers.values()
    on_demand = by_name(rows, "Offers")["on demand"]
    count = sum(offer.accelerator == "RTX-4090-24GB" and offer.purchase == "on_demand" for offer in there)
    assert f"{count} offers" in on_demand["note"]
    assert on_demand["low"] < on_demand["value"] < on_demand["high"]
    assert all(by_name(rows, about) for about in ("Servers", "Used prices", "Residual value"))


def test_a_seller_has_its_scale_and_one_without_a_price_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    rows = said(capsys, "run pod")
    assert by_name(rows, "Scale")["sold as"]["value"]
    assert by_name(rows, "Figures")["egress_usd_per_gb"]["value"] == 0
    assert "publishes no price" in by_name(said(capsys, "shadeform"), "Offers")["offers"]["value"]


def test_a_place_says_what_it_takes_from_where_it_lies(capsys: pytest.CaptureFixture[str]) -> None:
    rows = by_name(said(capsys, "germany"), "Figures")
    assert rows["usd_per_kwh"]["unit"] == "USD/kWh"
    assert "taken from World" in rows["pue"]["note"]


def test_a_place_without_a_price_of_electricity_says_whose_stands_in(capsys: pytest.CaptureFixture[str]) -> None:
    rows = by_name(said(capsys, "singapore"), "Figures")
    assert "the average of Malaysia, Taiwan, Japan and South Korea stands in" in rows["usd_per_kwh"]["note"]
    assert "that of the world stands in" in rows["household_usd_per_kwh"]["note"]


def test_a_model_and_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert by_name(said(capsys, "llama-3-8b"), "Record")["layers"]["value"] == 32
    server = next(iter(load_catalogue().servers))
    assert {row["section"] for row in said(capsys, server)} == {"servers"}


def test_what_several_things_are_called_is_all_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = load_catalogue()
    place = catalogue.sites["DE"].model_copy(update={"aliases": ("RTX 4090",)})
    both = catalogue.model_copy(update={"sites": catalogue.sites | {"DE": place}})
    monkeypatch.setattr("pricing.feeds.live.current", lambda: both)
    assert {row["section"] for row in said(capsys, "rtx 4090")} == {"accelerators", "sites"}


def test_a_name_with_several_meanings_is_asked_about_and_an_unknown_one_gets_a_hint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["facts", "h100", *DAY]) == BAD_INPUT
    assert "Say which" in capsys.readouterr().err
    assert main(["facts", "runpood", *DAY]) == BAD_INPUT
    assert "or runpod?" in capsys.readouterr().err


def test_the_text_marks_what_is_older_than_its_limit_and_lists_its_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["facts", "rtx 4090", *DAY]) == OK
    text = capsys.readouterr().out
    assert "older than its limit of 90" in text
    rows = said(capsys, "rtx 4090")
    assert all(str(row["source_url"]) in text for row in rows if row["source_url"])
    assert all(str(row["note"]).split()[0] in text for row in rows if row["note"])


def test_the_file_and_the_text_hold_the_same_statements(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written = tmp_path / "facts.csv"
    rows = said(capsys, "runpod", "--csv", str(written))
    with written.open(encoding="utf-8-sig", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == [row["name"] for row in rows]


def test_what_was_read_later_is_not_known_on_an_earlier_day(capsys: pytest.CaptureFixture[str]) -> None:
    now = by_name(said(capsys, "rtx 4090"), "Offers")["on demand"]
    early = date.fromisoformat(now["since"]) - timedelta(days=1)
    assert main(["facts", "rtx 4090", "--day", early.isoformat(), "--json"]) == OK
    then = by_name(json.loads(capsys.readouterr().out)["facts"], "Offers")["on demand"]
    assert (then["since"] or "") < now["since"]


@pytest.mark.slow
def test_stale_lists_what_moves_the_presets_first_in_every_form(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    written = tmp_path / "stale.csv"
    assert main(["stale", *DAY, "--json", "--csv", str(written)]) == OK
    rows = json.loads(capsys.readouterr().out)["figures"]
    with written.open(encoding="utf-8-sig", newline="") as file:
        assert [row["figure"] for row in csv.DictReader(file)] == [row["figure"] for row in rows]
    assert all(row["age_days"] > row["limit_days"] for row in rows)
    assert main(["stale", *DAY]) == OK
    text = capsys.readouterr().out
    first = text.splitlines()[1]
    assert first.endswith(rows[0]["figure"])
    assert first.startswith(f"{round(rows[0]['moves_share'] * 100, 1):g}% of")
    assert f"{len(rows):,} figures to look at again on 2026-11-21" in text
