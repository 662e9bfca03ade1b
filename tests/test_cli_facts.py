"""`facts`: everything known of one thing, with ages and sources; what is typed loosely is found."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.cli import main
from planner.cli.common import BAD_INPUT, FAILED, NEWS, OK
from planner.evidence.table import TABLES
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.presets import load_presets
from pricing import load_catalogue
from pricing.feeds.database import opened
from pricing.feeds.feed import Observation
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.store import LivePriceStore, PriorPrices, SourceRefresh
from pricing.feeds.written import SourceInfo
from pricing.formulas import is_invisible
from pricing.stale import limit_days
from tests.pricing.feeds.made import row
from tests.shell import DAY


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
    assert all(by_name(rows, about) for about in ("Servers", "Used prices"))
    assert by_name(said(capsys, "h100 pcie"), "Residual value")


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
    assert "the middle of 8 countries in Asia stands in" in rows["household_usd_per_kwh"]["note"]


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


def test_the_text_marks_what_is_older_than_its_limit_and_lists_its_sources(capsys: pytest.CaptureFixture[str]) -> None:
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


TODAY = date.today()
Keep = Callable[[float], None]


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Keep:
    """Puts a believed price of RunPod's H100 into a store of the test's own."""
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    market = MarketPrices.of(load_catalogue())

    def done(price: float) -> None:
        now = datetime.now(UTC)
        reading = PriceValidator(market, PriorPrices(), TODAY).reading(Observation(**row(price)), "digest")
        about = SourceInfo("Example", "https://prices.example", "MIT", "price_api")
        with closing(opened()) as database:
            store = LivePriceStore(database)
            with store.database.writing():
                believed = type(reading)(**{name: getattr(reading, name) for name in reading.__slots__}
                                         | {"reason": None})  # fmt: skip
                store.keep(SourceRefresh(f"{price}", "example", about, TODAY, now, seen=1), [believed], now)

    return done


def plan_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    return str(path)


OFFER = "runpod/H100-SXM5-80GB/1x/global/on_demand/community-cloud"
PLAN = "accelerator: H100-SXM5-80GB\nwork:\n  - accelerators: 8\n    busy_share: 0.4\n"
NAMED = f"{PLAN.replace('0.4', '0.95')}ways: [own, on_demand]\nrent:\n  offer: {OFFER}\n"


@pytest.mark.slow
def test_a_price_that_falls_is_news_once(keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]) -> None:
    plan = plan_file(tmp_path, PLAN)
    keep(2.79)
    watch = ["watch", plan, "--below", "1.10"]
    assert main(watch) == 0
    assert capsys.readouterr().out == ""
    keep(1.05)
    assert main(watch) == NEWS == 3
    out = capsys.readouterr().out
    assert "RunPod asks $1.05" in out
    assert "below $1.10" in out
    assert main(watch) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_an_answer_that_turns_is_news_once(keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]) -> None:
    """One price of many moves the market little; the price of an offer that is named is the plan's own."""
    plan = plan_file(tmp_path, PLAN.replace("0.4", "0.1"))
    assert main(["watch", plan]) == 0
    keep(0.40)
    assert main(["watch", plan]) == 0
    plan = plan_file(tmp_path, NAMED)
    keep(2.69)
    assert main(["watch", plan]) == 0
    keep(0.40)
    assert main(["watch", plan]) == NEWS
    assert re.search(r"Today's prices change this answer from “[^”]+” to “Rent”", capsys.readouterr().out)
    assert main(["watch", plan]) == 0


def test_another_plan_in_the_same_file_is_looked_at_anew(keep: Keep, tmp_path: Path) -> None:
    assert main(["watch", plan_file(tmp_path, PLAN.replace("0.4", "0.95"))]) == 0
    assert main(["watch", plan_file(tmp_path, PLAN.replace("0.4", "0.01"))]) == 0


@pytest.mark.parametrize("below", ["0", "-1", "1001", "nan", "cheap"])
def test_a_line_that_is_no_price_is_refused(below: str, tmp_path: Path) -> None:
    assert main(["watch", plan_file(tmp_path, PLAN), f"--below={below}"]) == 2


@pytest.mark.slow
def test_a_plan_of_an_earlier_day_is_told_what_today_changes(
    keep: Keep, tmp_path: Path, capsys: pytest.CaptureFixture[Any]
) -> None:
    day = load_catalogue().day
    plan = plan_file(tmp_path, f"day: {day}\n{NAMED}")
    assert main(["plan", plan]) == 0
    assert "Today's prices" not in capsys.readouterr().err
    keep(0.40)
    assert main(["plan", plan]) == 0
    assert re.search(r"Today's prices change this answer from “[^”]+” to “Rent”", capsys.readouterr().err)


NOT_OURS = re.compile(r"Input should|[Vv]alid (?:tuple|dict|string|number|integer|boolean|list)|instance of|Traceback")
GRID = (
    "base: {work: [{accelerators: 8}], day: 2026-11-21}\nways: [own, on_demand]\noutputs: [npv_usd, note]\n"
    "vary:\n  years: [2, 3]\n  busy: {from: 40, to: 60, steps: 3}\ntogether:\n  - gpus: [8, 16]\n    site: [US, NO]\n"
)
QUOTES = (
    "kind,provider,accelerator,usd_per_accelerator_hour,valid_from,discount_share\n"
    "offer,AWS,h100 sxm,2.5,2026-01-01,\ndiscount,AWS,,,,0.2\n"
)
# The name of a file, what stands in it before it is changed, and the call that reads it.
FILES: Mapping[str, tuple[str, list[str]]] = {
    "plan.yaml": (write_scenario(SavedScenario(load_presets()[0].scenario)), ["plan", "plan.yaml", *DAY]),
    "quotes.csv": (QUOTES, ["prices", "--accelerator", "l40s", "--quotes", "quotes.csv", *DAY]),
    "training.csv": (TABLES["training"].template, ["check", "training", "training.csv", *DAY]),
    "serving.csv": (TABLES["serving"].template, ["check", "serving", "serving.csv", *DAY]),
    "grid.yaml": (GRID, ["sweep", "grid.yaml", "--csv", "out.csv", "--jobs", "1", *DAY]),
}
HARD = (
    *("", "'", '"', "\x1b[31m", "\u202e", "\u2028", "\u200b", "\x9b", "\x00", "\ud800", "é€…", "x" * 300, "\r\n", "\t"),
    *("1e999", "-1", "0", "1e-320", "null", "true", "[]", "{}", "{a: 1}", "[1, 2]", "- 1", "a: b", "*x", "!!int 3"),
    *("'2026-11-21'", "2026-02-30", "'2026-02-30'", "{from: 0, to: 1, steps: 10000000}", "{from: 0, to: 1, by: 1e-9}"),
)  # fmt: skip
_VALUE = re.compile(r"(?<=: )[^\n,{}\[\]]+|(?<=,)[^,\n]*(?=[,\n])|[a-z_]+(?=:)")


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """A file in which a few values, keys or places hold something else."""
    for _ in range(draw(st.integers(1, 4))):
        places = [match.span() for match in _VALUE.finditer(text)] or [(0, 0)]
        if draw(st.booleans()):
            start, end = draw(st.sampled_from(places))
        else:
            start = draw(st.integers(0, len(text)))
            end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(HARD) | st.text(max_size=5)) + text[end:]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_file_is_answered_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: st.DataObject
) -> None:
    text, call = FILES[name]
    for old in tmp_path.glob("out.csv*"):
        old.unlink()
    (tmp_path / name).write_bytes(data.draw(changed(text)).encode("utf-8", "surrogatepass"))
    encoding = data.draw(st.sampled_from(["utf-8", "ascii", "cp1252"]))
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with monkeypatch.context() as patched:
        patched.chdir(tmp_path)
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        code = main(call)
        err.flush()
    told = "".join(stream.buffer.getvalue().decode(encoding) for stream in (out, err))  # type: ignore[attr-defined]
    assert code in (OK, FAILED, BAD_INPUT)
    assert not NOT_OURS.search(told)
    assert not any(is_invisible(mark) for mark in told if mark not in "\n\t")
