"""A scenario as a file: what is written is read back, and what cannot be used is told with its line."""

from datetime import date

import pytest
import yaml

from planner.scenario.fields import field_spec, leaf_fields
from planner.scenario.file import HEAD, SCHEMA, SavedScenario, file_schema, read_scenario, write_scenario
from planner.scenario.known_names import ScenarioError
from planner.scenario.own import OwnInputs
from planner.scenario.rent import MixInputs, RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import Currency, FinancialTerms
from planner.scenario.work import ScheduledJob, Work
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row


def read(text: str | bytes) -> SavedScenario:
    return read_scenario(text if isinstance(text, bytes) else text.encode(), "plan.yaml", CATALOGUE)


def test_only_what_differs_is_written_in_the_records_order_with_units() -> None:
    scenario = Scenario(
        name='=HYPERLINK("http://x")',
        site="NO",
        work=(
            Work(accelerators=80, season=(1.0,) * 11 + (0.5,), jobs=(ScheduledJob(accelerators=4, hours=10.0),)),
            Work(),
        ),
        own=OwnInputs(usd_per_kwh=0.1),
        mix=MixInputs(),
        currency=Currency(code="EUR", usd_per_unit=1.1, day=DAY, source="ECB"),
        terms=FinancialTerms(timing="year_end"),
        ways=("own", "on_demand"),
    )
    text = write_scenario(SavedScenario(scenario, DAY, CATALOGUE.digest))
    head, *lines = text.splitlines()
    assert head.startswith("#")
    assert lines == [
        "schema: 1",
        "day: 2026-11-21  # prices and ages as they were known on this day",
        f'catalogue: "{CATALOGUE.digest}"  # digest of the facts it was made with',
        'name: "=HYPERLINK(\\"http://x\\")"',
        'site: "NO"',
        "work:",
        "  - accelerators: 80  # accelerators",
        "    season: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5]  # times the usual hours, January first",
        "    jobs:",
        "      - accelerators: 4  # accelerators",
        "        hours: 10  # hours; how long it takes on that many",
        "  - {}",
        "own:",
        "  usd_per_kwh: 0.1  # USD per kWh",
        "mix: {}",
        "terms:",
        "  timing: year_end  # month_end | month_middle | year_end | year_middle | dated",
        "currency:",
        "  code: EUR",
        "  usd_per_unit: 1.1  # USD for one unit of it",
        "  day: 2026-11-21",
        "  source: ECB",
        "ways: [own, on_demand]  # which to calculate; empty: all that have a price",
    ]
    saved = read(text)
    assert saved == SavedScenario(scenario, DAY, CATALOGUE.digest)
    assert not saved.notes
    assert not saved.is_from_other_catalogue(CATALOGUE)


@each_row(
    "name", ["yes", "NO", "null", "1e6", "2026-01-01", "a: b", "a #b", "- a", " a", "é\u00a0ü\u3000", "'\"\\", "😀"]
)
def test_a_name_is_a_name_for_every_reader_of_yaml(name: str) -> None:
    text = write_scenario(SavedScenario(Scenario(name=name)))
    assert read(text).scenario.name == name
    assert yaml.safe_load(text)["name"] == name


def test_every_number_of_the_scenario_has_a_unit() -> None:
    for path in leaf_fields():
        about = field_spec(path)
        if about.kind in ("whole", "number"):
            assert about.unit, path


def test_the_head_never_collides_with_the_scenario() -> None:
    assert not set(HEAD) & set(Scenario.model_fields)
    properties = file_schema()["properties"]
    assert list(properties) == [*HEAD, *Scenario.model_fields]


def test_loose_names_are_taken_and_told() -> None:
    saved = read("accelerator: nvidia rtx 4090\nsite: norway\n")
    assert saved.scenario == Scenario(accelerator="RTX-4090-24GB", site="NO")
    assert saved.notes == ("accelerator: nvidia rtx 4090 is taken for RTX-4090-24GB.", "site: norway is taken for NO.")
    assert (saved.day, saved.catalogue_digest) == (None, None)


def test_an_offer_is_named_by_its_provider_where_that_is_enough() -> None:
    offers = [key for key, offer in CATALOGUE.offers.items() if offer.purchase == "on_demand"]
    key = next(key for key in offers if CATALOGUE.offers[key].accelerator == "H100-SXM5-80GB")
    assert read(f"rent:\n  offer: {key}\n").scenario.rent == RentalInputs(offer=key)
    with pytest.raises(ScenarioError, match=r"Line 2: rent\.offer: No provider is called 'corweave'\. Did you mean"):
        read("rent:\n  offer: corweave\n")


def test_other_facts_are_told_and_not_refused() -> None:
    saved = read("catalogue: abcdef\nday: 2026-01-01\n")
    assert saved.is_from_other_catalogue(CATALOGUE)
    assert saved.scenario == Scenario()


@each_row(("text", "said"), [
    ("work:\n  - busy_share: 1.6\n", "Line 2: work.0.busy_share: 1.6 must be 0.01 to 1; nothing was changed."),
    (
        "work:\n  - accelerators: 4\n    busy_share: 60\n",
        "Line 3: work.0.busy_share: 60 must be 0.01 to 1: 60 % is written 0.6; nothing was changed.",
    ),
    ("years: 0\nown:\n  pue: 0.5\n", "Line 1: years: 0 must be 0.25 to 10; nothing was changed (1 more to look at)."),
    ("stay_in: [DE, ZZ]\n", "Line 1: stay_in.1: No country is called 'ZZ'"),
    ("work:\n  - accelerators: 8.5\n", "work.0.accelerators: 8.5 must be a whole number, 1 to 1,000,000"),
    ("years: true", "Line 1: years: true must be a number, 0.25 to 10"),
    ('years: "3"', "Line 1: years: '3' must be a number, 0.25 to 10"),
    ("nme: x", "Line 1: nme: there is no such key; did you mean name? Nothing was changed."),
    ("own:\n\n  usd_per_kwhh: 1", "Line 3: own.usd_per_kwhh: there is no such key; did you mean usd_per_kwh?"),
    ("work: []", "work: 0 entries must be 1 to 6"),
    ("work: {}", "work: a group of keys must be a list of 1 to 6"),
    ("work:\n  - 3", "Line 2: work.0: 3 must be a group of keys"),
    ("terms:\n  timing: monthly", "Did you mean month_middle?"),
    ("rent_to_own:\n  months: 3", "rent_to_own.usd_per_month: missing; it must be a number"),
    ("work:\n  - season: [1, 2]", "Line 2: work.0: want 12 factors of season"),
    ("years: 1\nown: {resale_month: 100}", "Line 2: own.resale_month is 100, after the plan's 12 months"),
    ("currency: {code: eur, usd_per_unit: 1, day: 2026-01-01, source: x}", "'eur' must be text like"),
    ("work: [{train: {model: x, seq_len: 1048576.5}}]", "1048576.5 must be a whole number, 16 to 16,777,216"),
    ("work: [{serve: {model: x, input_tokens: 16777217}}]", "16777217 must be 1 to 16,777,216"),
    ("accelerator: h1000", "Line 1: accelerator: No accelerator is called 'h1000'. Did you mean"),
    ("site: Texass", "Did you mean US-TX?"),
    ("tax:\n  schedule: macro", "Line 2: tax.schedule: No schedule is called 'macro'"),
    ("schema: 2", "was written by a newer version of this program; this one reads up to 1"),
    ("schema: one", "schema: 'one' must be a whole number, 1 to 1"),
    ("schema: 0", "schema: 0 must be a whole number"),
    ("day: tomorrow", "Line 1: day: 'tomorrow' must be a day such as 2026-11-21"),
    ("day: '2026-11-31'", "Line 1: day: 2026-11-31 is not a day of the calendar"),
    ("day: '21.11.2026'", "Line 1: day: '21.11.2026' must be a day such as 2026-11-21"),
    ('name: "a\\u202eb"', "Line 1: name: U+202E at character 2 does not show (a control or invisible mark): leave it"),
    ("years: 2\nname: a\u200bb", "Line 2: name: U+200B at character 2 does not show"),
    ('name: "a\\nb"', "name: U+000A at character 2 does not show"),
    ('work:\n  - label: "a\\eb"', "Line 2: work.0.label: U+001B at character 2 does not show"),
    ('"na\\u2066me": x', "U+2066 at character 3 does not show"),
    (
        "years: 1\nown:\n  order_month: 40",
        "Line 3: own.order_month is 40, the plan has 12 months: order earlier; nothing was changed.",
    ),
    ("ways: [mix]", "Line 1: ways names mix, but mix is not filled in; nothing was changed."),
    ("catalogue: 12", "catalogue: 12 must be a catalogue's digest"),
    ("", "the file is empty"),
    ("- 1", "a list stands where keys and values are wanted"),
    ("1: 2", "the key 1 must be a word"),
    ("work:\n  - 5: 2", "Line 2: work.0"),
    ("name: a\nname: b", "Line 2: the key 'name' stands here twice"),
    ("a: &x [1]\nb: *x", "anchors (&name) and tags (!name) are not read here"),
    ("a: [*x]", "aliases"),
    ("name: !!python/object/apply:os.system [id]", "tags (!name) are not read here"),
    ("name: a\n---\nname: b", "one document"),
    ("own:\n  <<: {pue: 1}", "merge keys"),
    ("years: .nan", "write a plain finite number"),
    ("years: 1e999", "too large for a number"),
    ("x: " + "[" * 30, "at most 12 levels"),
    ("name: a\x00b", "control characters are not allowed"),
    (b"name: \xff\xfe", "not UTF-8 text: byte 0xff at 6"),
    (b"# " + b"x" * 2_000_000, "too long: a scenario has at most 1,000,000 bytes"),
])  # fmt: skip
def test_what_cannot_be_used_is_told_in_one_sentence(text: str | bytes, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert refused.value.name == "plan.yaml"


def test_a_bomb_of_aliases_is_refused_before_it_goes_off() -> None:
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(ScenarioError, match="anchors"):
        read(bomb)


DAYS = (
    "day: {day}\ncurrency: {{code: EUR, usd_per_unit: 1.1, day: {day}, source: x}}\n"
    "measured: [{{kind: training, accelerator: H100-SXM5-80GB, ratio: 0.9, day: {day}}}]\n"
)


def test_a_day_in_quotes_is_a_day_everywhere() -> None:
    plain, *quoted = (read(DAYS.format(day=day)) for day in ("2026-11-21", "'2026-11-21'", '"2026-11-21"'))
    assert plain.day == plain.scenario.measured[0].day == date(2026, 11, 21)
    assert quoted == [plain, plain]


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_reads() -> None:
    assert read(b"\xef\xbb\xbfschema: 1\r\nyears: 2\r\n") == SavedScenario(Scenario(years=2.0))


def test_a_schema_of_today_needs_no_migration() -> None:
    assert read(f"schema: {SCHEMA}").schema == SCHEMA
