"""What is written about the program is still true of it."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest

from planner.cli import main
from planner.money.plan import plan
from planner.money.verdict.shares import PLAIN, PROBABLY
from planner.money.ways import WAYS
from planner.scenario.budget import FUTURES
from planner.scenario.own import ExistingHardware, IdleSaleInputs, Lease, OwnInputs, RentToOwn, SaleAndLeaseBack
from planner.scenario.rent import HostedModelInputs, MixInputs, RentalInputs, ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms, TaxInputs
from planner.scenario.work import Work
from planner.study.data_files import load_futures_assumptions
from planner.study.uncertainty.draws import normal_draws
from planner.study.uncertainty.futures import DOTS
from planner.study.uncertainty.uncertain_inputs import InputDistribution, UncertainParameter
from pricing import choices, figure, load_catalogue, records
from pricing.query import AGEING_DAYS
from pricing.record import Record
from tests import house
from tests.house import ROOT
from tests.rows import each_row

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
METHOD = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
THE_HOUSE = (ROOT / "docs" / "decisions" / "0001-the-house.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "pricing").rglob("*.md")]
    if path.is_file()
)


LONG, ALIKE = 8, 0.75  # words of a sentence that could not be said twice by chance; shared words of two versions


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of each table row after the first one, by the first cell without its backticks."""
    rows = re.findall(r"^\| *`?([^`|]+?)`? *\|(.*)\|$", text, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


ROWS = table_rows(GLOSSARY)
FIGURES = sorted(
    {
        (name, unit)
        for record in vars(records).values()
        if isinstance(record, type) and issubclass(record, Record)
        for name, unit in record.FIGURE_UNITS.items()
    }
)
MEANINGS = sorted(
    {
        (name, record.model_fields[name].description or "")
        for record in vars(records).values()
        if isinstance(record, type) and issubclass(record, Record)
        for name in record.FIGURE_UNITS
    }
)
LISTS = {
    "Kind": figure.Kind, "Via": figure.Via, "Purchase": choices.Purchase, "Doubt": records.ListingDoubt,
    "Trust": choices.Trust, "SoldAs": choices.SoldAs, "Fabric": choices.Fabric, "Orders": choices.Orders,
}  # fmt: skip


@each_row(("name", "unit"), FIGURES)
def test_every_figure_is_in_the_glossary_with_its_unit(name: str, unit: str) -> None:
    assert name in ROWS, f"add {name} to docs/glossary.md"
    assert ROWS[name][0] == unit


@each_row(("name", "meaning"), MEANINGS)
def test_a_figure_means_in_the_glossary_what_its_field_says(name: str, meaning: str) -> None:
    assert meaning, f"{name} says nothing of itself in pricing/records.py"
    told = ROWS[name][1]
    assert meaning.startswith(told) or told.startswith(meaning)


@each_row("closed_list", LISTS)
def test_every_word_of_a_closed_list_is_in_the_glossary(closed_list: str) -> None:
    section = re.search(rf"^### {closed_list}:.*?(?=^#|\Z)", GLOSSARY, flags=re.MULTILINE | re.DOTALL)
    explained = set(table_rows(section.group())) - {"Word", "---"}
    assert explained == set(get_args(LISTS[closed_list]))


def test_the_glossary_uses_only_units_of_the_closed_list_for_figures() -> None:
    assert {unit for _, unit in FIGURES} <= set(get_args(figure.Unit))


def test_no_name_with_a_unit_stands_in_the_glossary_twice() -> None:
    names = re.findall(r"^\| `([a-z0-9_]+)` \|", GLOSSARY, flags=re.MULTILINE)
    assert [name for name, times in Counter(names).items() if times > 1] == []


def every_way() -> Iterator[Scenario]:
    """Scenarios that together take every road through the ledgers."""
    work = (Work(may_stop=True, accelerators_per_job=2),)
    ways = {
        "work": work,
        "rent_to_own": RentToOwn(usd_per_month=9_000.0, months=12),
        "kept": ExistingHardware(accelerators=2, power_w_each=300.0, usd_today_if_sold=1_000.0, usd_at_end=100.0),
        "mix": MixInputs(own_accelerators=4, reserve_accelerators=2),
        "hosted": HostedModelInputs(
            million_input_tokens_per_month=10.0, million_output_tokens_per_month=1.0,
            usd_per_million_input_tokens=1.0, usd_per_million_output_tokens=2.0,
        ),
        "tax": TaxInputs(vat_share=0.2, vat_recovered_share=0.5),
        "sale_and_lease_back": SaleAndLeaseBack(price_share=0.9),
        "sell": IdleSaleInputs(
            usd_per_accelerator_hour=1.5, price_change_per_year=0.1, usd_per_month_to_sell=1_000.0, reserved=True
        ),
    }  # fmt: skip
    for chip in ("H100-SXM5-80GB", "RTX-5090-32GB", "B200-SXM-180GB"):
        yield Scenario.model_validate({"accelerator": chip, **ways})
    bill = {"usd_per_month": 1e4, "price": "DeepInfra/Llama-3.3-70B-Instruct-Turbo"}
    service = {"serve": {"model": "Llama-3.3-70B", "requests_per_s": 2.0}}
    yield Scenario.model_validate({"work": (service,), "bill": bill, "run_by_fte": 1.0})
    yield Scenario.model_validate({"work": (service,)})
    small = {"serve": {"model": "Llama-3.1-8B", "requests_per_s": 0.05}}
    yield Scenario.model_validate({"accelerator": "L40S-48GB", "work": (small,)})
    pictures = {"serve": {"model": "FLUX.1-dev", "requests_per_s": 0.01}}
    yield Scenario.model_validate({"accelerator": "L40S-48GB", "work": (pictures,)})
    room = OwnInputs(place="own_room", refresh_years=1.0, resale_month=30, usd_per_accelerator_year_of_software=100.0)
    sums = OwnInputs(capex_usd=1e5, running_usd_per_month=1e3)
    yield Scenario.model_validate({**ways, "own": room, "terms": FinancialTerms(rent_by_year=(1.0, 0.9))})
    yield Scenario.model_validate(
        {**ways, "own": sums, "tax": TaxInputs(profit_usd_per_year=1e5),
         "reserve": ReservationInputs(prepaid=True, at_end="expire"),
         "lease": Lease(usd_per_month=9_000.0), "rent": RentalInputs(support_share=0.1)}
    )  # fmt: skip


def test_every_name_in_a_formula_is_in_the_glossary() -> None:
    plans = [plan(load_catalogue(), scenario, date(2026, 11, 21)) for scenario in every_way()]
    options = [option for made in plans for option in made.options]
    used = {used.name for option in options for line in option.ledger.lines for used in line.used}
    assert {option.way for option in options} == WAYS.keys()
    assert used - ROWS.keys() == set()


def test_a_row_that_is_missing_would_be_noticed() -> None:
    shorter = re.sub(r"^\| `tdp_w` .*\n", "", GLOSSARY, flags=re.MULTILINE)
    assert "tdp_w" in ROWS
    assert "tdp_w" not in table_rows(shorter)


@each_row("page", PAGES)
def test_what_a_page_links_to_exists(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if not link.startswith(("http://", "https://", "mailto:"))]
    assert [link for link in here if not (page.parent / link).exists()] == []


def test_the_readme_opens_with_the_two_commands() -> None:
    commands = re.findall(r"^make (\w+)", README.split("```")[1], flags=re.MULTILINE)
    assert commands == ["app", "test"]


def test_every_word_of_make_that_is_written_down_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))
    written = {word for page in PAGES for word in re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8"))}
    assert written >= {"app", "stale", "quick"}
    assert written <= targets


def test_a_release_says_first_which_numbers_move() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in changes
    for release in re.split(r"^## ", changes, flags=re.MULTILINE)[1:]:
        headings = re.findall(r"^### (.+)$", release, flags=re.MULTILINE)
        assert headings == ["Numbers that move", "Added", "Changed", "Fixed"]


def test_the_readmes_line_for_the_shell_works(capsys: pytest.CaptureFixture[str]) -> None:
    line = re.search(r"python -m planner (.+)", README)
    assert main(shlex.split(line.group(1))) == 0
    assert "H100-SXM5-80GB" in capsys.readouterr().out


def test_the_readme_says_what_becomes_of_an_old_price() -> None:
    assert f"A price older than {AGEING_DAYS} days is marked stale" in one_line(README)
    for page in (README, GLOSSARY):
        assert not [row for row in page.splitlines() if "never called the cheapest" in row], "a stale price may decide"


@pytest.mark.parametrize("days_on", [0, AGEING_DAYS + 100, 800])
def test_a_plan_rents_at_what_an_old_price_is_worth_and_says_how_old_it_is(days_on: int) -> None:
    catalogue = load_catalogue()
    made = plan(catalogue, Scenario(), catalogue.day + timedelta(days=days_on))
    prices, key = made.setting.offers.prices, made.setting.offers.on_demand
    assert key is not None
    found = prices.of(key)
    assert found.age_days >= days_on
    assert found.low <= found.typical <= found.high


def one_line(text: str) -> str:
    """A page without its line breaks, so that a sentence can be looked for."""
    return " ".join(text.split())


def futures_of_the_method() -> str:
    section = re.search(r"^## Futures\n.*?(?=^## )", METHOD, flags=re.MULTILINE | re.DOTALL)
    return one_line(section.group())


@each_row("said", [
    f"not once but {FUTURES:,} times",
    f"10th percentile {100 * load_futures_assumptions().use.low:.0f} %",
    f"90th percentile {100 * load_futures_assumptions().use.high:.0f} %",
    f"with a coefficient of {load_futures_assumptions().together.coefficient:g}",
    f"From {100 * PLAIN:.0f} of 100 the verdict is plain, from {100 * PROBABLY:.0f} *probably*",
    f"each stands for {100 // DOTS} of 100 futures",
])  # fmt: skip
def test_the_method_tells_of_the_futures_what_the_program_does(said: str) -> None:
    assert said in futures_of_the_method()


def test_the_typical_value_is_the_mean_of_its_draws_as_the_method_says() -> None:
    spread = InputDistribution(0.1, 0.2, 0.3)
    z = normal_draws((UncertainParameter("usd_per_kwh", "USD/kWh", spread, "", "", ""),), FUTURES, 7)
    assert spread.at(z).mean() == pytest.approx(0.2, rel=0.002)
    assert "it is moved so that its mean is the typical value" in futures_of_the_method()


def test_the_method_does_not_deny_its_probabilities() -> None:
    assert "no probabilities" not in one_line(METHOD)


def rooms_on_disk() -> set[str]:
    inner = {path.parent.name for path in (ROOT / "planner").glob("*/__init__.py")}
    return {"pricing", *(f"planner.{name}" for name in inner)}


def test_the_first_decision_draws_the_rooms_that_there_are() -> None:
    drawing = re.search(r"^    pricing ←.*\n(?:    .*\n)*", THE_HOUSE, flags=re.MULTILINE)
    drawn = set(re.findall(r"\bpricing\b|planner\.\w+", drawing.group()))
    assert drawn == rooms_on_disk()


def test_the_first_decision_names_the_rooms_that_are_reserved_and_not_built() -> None:
    sentence = re.search(r"^- Two rooms have their place.*?(?=^- )", THE_HOUSE, flags=re.MULTILINE | re.DOTALL)
    reserved = {*house.FLOOR_OF, *house.ONLY_IN["requests"]} - rooms_on_disk() - {"app", "planner.__main__"}
    assert set(re.findall(r"`((?:planner|pricing)\.\w+)`", sentence.group())) == reserved


def test_the_first_decision_says_how_long_a_function_and_a_file_may_be() -> None:
    assert f"at most {house.LONGEST_FUNCTION} lines, a file at most {house.LONGEST_FILE}" in one_line(THE_HOUSE)


def test_the_picture_shows_every_room() -> None:
    picture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = {name.replace("/", ".") for name in re.findall(r"<b>([\w/]+)</b>", picture)}
    assert drawn == rooms_on_disk()
    for room in ("money", "study", "report", "speed"):
        folders = {path.parent.name for path in (ROOT / "planner" / room).glob("*/__init__.py")}
        told = re.search(rf"<b>planner/{room}</b>.*<i>([\w, ]+)</i>", picture)
        assert set(told[1].split(", ")) == folders


def test_the_readme_names_every_room_of_the_arithmetic() -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `planner/` |"))
    assert {f"planner.{name}" for name in re.findall(r"`(\w+)`", row)} | {"pricing"} == rooms_on_disk()


def blocks(text: str) -> Iterator[str]:
    """The paragraphs and items of a page, each in one line; tables, code and headings apart."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", plain):
        if not paragraph.lstrip().startswith(("|", "#", "    ")):
            yield " ".join(paragraph.split())


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9_.]{3,}", text.lower()))


def doubled(text: str) -> list[str]:
    """What stands twice on a page: a row of a table, a sentence, or a paragraph in two versions."""
    found, paragraphs = [], list(blocks(text))
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        rows = Counter(row.split(" | ")[0] for row in table.splitlines()[2:])
        found += [row for row, count in rows.items() if count > 1 and row.startswith("| `")]
    sentences = (one for paragraph in paragraphs for one in re.split(r"(?<=[.:;]) ", paragraph))
    found += [one for one, count in Counter(sentences).items() if count > 1 and len(one.split()) >= LONG]
    for one, other in combinations([(each, words_of(each)) for each in paragraphs], 2):
        if min(len(one[1]), len(other[1])) >= 2 * LONG and len(one[1] & other[1]) > ALIKE * len(one[1] | other[1]):
            found.append(one[0])
    return found


@each_row("page", PAGES)
def test_no_passage_of_a_page_stands_twice(page: Path) -> None:
    assert doubled(page.read_text(encoding="utf-8")) == []


def test_a_passage_that_stands_twice_would_be_noticed() -> None:
    """As a merge leaves it: a row in two versions, a sentence again, a paragraph with a few words changed."""
    table = "| Key | What |\n|---|---|\n| `own` | prices, delivery |\n| `rent` | an offer |\n| `own` | prices |\n"
    assert doubled(table) == ["| `own`"]
    again = "A reservation keeps the price of the day on which its term began."
    assert doubled(f"{again} At its end it is renewed.\n{again} Prepaid, its months come first.\n") == [again]
    told = "Jobs that come at random cannot keep a fleet busy all the time, since some of them wait while others run"
    assert doubled(f"{told} on the fleet that is there.\n\n{told} on the machines that are there.\n")
    assert doubled("One thing is said of it.\n\nAnother thing is said of something else.\n") == []


def test_every_test_that_the_threats_name_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "threats.md").read_text(encoding="utf-8")))
    written = {
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert len(named) > 30
    assert named <= written
