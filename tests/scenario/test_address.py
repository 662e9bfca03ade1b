"""The address of a page: every scenario comes back from it, and what cannot be used is said."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planner.scenario.file import SavedScenario, build_scenario, read_scenario, write_scenario
from planner.scenario.latency import day_patterns, match_day_pattern
from planner.scenario.link import (
    ALSO,
    LONGEST_ALSO,
    LinkTooLongError,
    clean_link,
    extra_by_hour,
    extra_field,
    extra_with_hours,
    extra_with_ownership,
    scenario_from_link,
    scenario_to_link,
)
from planner.scenario.own import OwnInputs
from planner.scenario.path import get_value
from planner.scenario.question import KEYS
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.typed_money import parse_power_curve
from planner.scenario.work import ScheduledJob, Work
from pricing import load_catalogue, strict_yaml
from pricing.formulas import unseen
from tests.rows import each_row
from tests.scenario.scenarios import scenarios
from tests.small_catalogue import small_catalogue

CATALOGUE = small_catalogue()


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
@given(scenarios())
def test_scenario_to_yaml_to_scenario_to_address_to_scenario_is_the_identity(scenario: Scenario) -> None:
    text = write_scenario(SavedScenario(scenario))
    data = strict_yaml.read(text, file="plan.yaml")
    del data["schema"]
    from_file = build_scenario(data, "plan.yaml", {})
    assert from_file == scenario
    try:
        held = scenario_to_link(from_file)
    except LinkTooLongError:
        assume(False)
    assert scenario_from_link(held) == (scenario, [])


def test_every_short_key_leads_to_a_field_and_holds_its_default() -> None:
    usual = Scenario()
    for key in KEYS.values():
        assert get_value(usual, key.path) == key.default
        assert key.label
        if key.shape.kind in ("whole", "number"):
            assert key.unit
            assert key.low is not None
            assert key.high is not None
    assert len({key.path for key in KEYS.values()}) == len(KEYS)
    assert scenario_to_link(usual) == {}
    assert scenario_from_link({}) == (usual, [])


def test_the_keys_of_old_links_keep_their_meaning() -> None:
    link = {
        "gpus": "16", "gpu": "RTX-4090-24GB", "busy": "17.3", "years": "2.5", "site": "DE", "session": "2",
        "disk": "3", "egress": "4", "rate": "8", "rents": "-10",
    }  # fmt: skip
    assert scenario_from_link(link) == (
        Scenario(
            accelerator="RTX-4090-24GB",
            years=2.5,
            site="DE",
            work=(Work(accelerators=16, busy_share=0.173, storage_tb=3.0, egress_tb_per_month=4.0),),
            rent=RentalInputs(hours_per_session=2.0),
            terms=FinancialTerms(discount_rate_per_year=0.08, rent_change_per_year=-0.1),
        ),
        [],
    )


def test_percentages_stand_as_people_write_them() -> None:
    assert (KEYS["busy"].low, KEYS["busy"].high, KEYS["busy"].unit) == (1.0, 100.0, "%")
    assert (KEYS["rents"].low, KEYS["rents"].high) == (-60.0, 50.0)
    terms = FinancialTerms(discount_rate_per_year=0.07, rent_change_per_year=-0.285)
    assert scenario_to_link(Scenario(terms=terms)) == {"rate": "7", "rents": "-28.5"}


def test_what_has_no_short_key_stands_in_one() -> None:
    scenario = Scenario(
        work=(Work(accelerators=4), Work(label="nightly", jobs=(ScheduledJob(accelerators=2, hours=5.0),))),
        own=OwnInputs(capex_usd=4_000.0, resale_month=12),
    )
    assert scenario_to_link(scenario) == {
        "gpus": "4",
        "capex": "4000",
        ALSO: '{"work":[{},{"label":"nightly","jobs":[{"accelerators":2,"hours":5.0}]}],"own":{"resale_month":12}}',
    }


@each_row(
    ("held", "said"),
    [
        (
            {"gpus": "99999999"},
            "This link held gpus = 99999999, outside 1 to 1,000,000. 8 is used instead, so this answer differs from "
            "the sender's.",
        ),
        ({"busy": "160"}, "busy = 160, outside 1 to 100. 60 is used instead"),
        ({"gpus": "32.5"}, "gpus = 32.5, not a whole number, 1 to 1,000,000"),
        ({"gpus": "1_000"}, "not a whole number"),
        ({"gpus": "١٢"}, "not a whole number"),
        ({"years": "nan"}, "years = nan, not a number, 0.25 to 10. 3 is used"),
        ({"kwh": "-1"}, "kwh = -1, outside 0 to 5. The catalogue's figure is used instead"),
        ({"cash": "1e400"}, "No limit is used instead"),
        ({"yearly": "-5"}, "yearly = -5, outside 0 to 1,000,000,000,000. No limit is used instead"),
        ({"waitcost": "1e9"}, "waitcost = 1e9, outside 0 to 100,000. Not counted is used instead"),
        ({"timing": "monthly"}, "not one of month_end"),
        ({"waits": "perhaps"}, "not true or false"),
        ({"name": "x" * 121}, "not text of 1 to 120 characters"),
        ({"busy": "20", "hours": "100"}, "hours = 100, which does not agree with the rest"),
        ({ALSO: "{"}, "cut short or changed"),
        ({ALSO: '{"years":NaN}'}, "cut short or changed"),
        ({ALSO: '{"years":1e999}'}, "cut short or changed"),
        ({ALSO: '{"years":2,"years":3}'}, "cut short or changed"),
        ({ALSO: "[" * 2_000 + "]" * 2_000}, "cut short or changed"),
        ({ALSO: "x" * (LONGEST_ALSO + 1)}, "more than 4,000"),
        ({ALSO: '{"wrok":[{}]}'}, "did you mean work?"),
        ({ALSO: '{"own":{"pue":9}}'}, "own.pue: 9 must be 1 to 3"),
        ({ALSO: '{"own":null}', "pue": "1.2"}, "own: nothing must be a group of keys"),
        ({"bussy": "60"}, "bussy, which is no key of this page. It may have meant busy."),
        ({"gpu": "H100"}, "H100-SXM5-80GB is used instead"),
        ({"gpu": "rtx 5090"}, "No accelerator is called 'rtx 5090'"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_default_taken(held: dict[str, str], said: str) -> None:
    scenario, told = scenario_from_link({"site": "", **held}, None if "gpu" not in held else _without_sites(), ())
    assert len(told) == 1, told
    assert said in told[0]
    assert "\n" not in told[0]
    kept = {key: text for key, text in held.items() if key in ("pue",) or (key == "busy" and text == "20")}
    assert scenario == scenario_from_link(kept)[0]


def _without_sites() -> object:
    """The small catalogue, which has no sites, with the one that every scenario starts from."""
    from pricing.records import Site

    return CATALOGUE.model_copy(
        update={"sites": {"US": Site.model_construct(label="US", kind="country", aliases=(), parent=None)}}
    )


def test_loose_names_are_taken_and_the_rest_of_a_bad_link_is_kept() -> None:
    scenario, told = scenario_from_link({"gpu": "nvidia rtx 4090", "gpus": "0", "years": "5"}, _without_sites(), ())
    assert scenario == Scenario(accelerator="RTX-4090-24GB", years=5.0)
    assert len(told) == 1


def test_a_plan_too_large_for_a_link_says_so() -> None:
    jobs = tuple(
        ScheduledJob(label=f"a job with quite a long name, number {n}", accelerators=3, hours=5.0) for n in range(24)
    )
    with pytest.raises(LinkTooLongError, match="download it as a file"):
        scenario_to_link(Scenario(work=(Work(jobs=jobs),) * 3))


def test_a_formula_in_a_name_is_only_a_name() -> None:
    scenario = Scenario(name='=HYPERLINK("http://x")')
    assert scenario_from_link(scenario_to_link(scenario))[0] == scenario


def test_a_file_of_the_small_catalogue_reads_back() -> None:
    saved = SavedScenario(Scenario(name="a: b # c"), None, "small")
    again = read_scenario(write_scenario(saved).encode(), "a.yaml", _without_sites())
    assert again == saved


@pytest.mark.parametrize(("slip", "meant"), [("bussy", "busy"), ("year", "years"), ("Token", "tokens")])
def test_a_key_that_is_nearly_one_of_ours_is_told(slip: str, meant: str) -> None:
    scenario, told = scenario_from_link({slip: "5"})
    assert scenario == Scenario()
    assert told == [f"This link held {slip}, which is no key of this page. It may have meant {meant}."]


@pytest.mark.parametrize("key", ["utm_source", "fbclid", "gclid", "ref"])
def test_what_counts_the_visitors_of_a_link_is_passed_over(key: str) -> None:
    assert scenario_from_link({key: "5"})[1] == []


def test_unknown_keys_of_a_link_are_named() -> None:
    assert scenario_from_link({"flavour": "5"})[1] == [
        "This link held flavour, which is no key of this page. It is left out."
    ]
    many = {f"unknown{place}": "5" for place in range(6)} | {"year": "5"}
    assert scenario_from_link(many)[1] == [
        "This link held year, which is no key of this page. It may have meant years.",
        "This link held unknown0, unknown1, unknown2, unknown3 and 2 more, which are no keys of this page. They are "
        "left out.",
    ]
    assert scenario_from_link({"look": "5"}, others=("look",))[1] == []
    assert scenario_from_link({"x" * 500: "5"})[1] == [
        f"This link held {'x' * 60}…, which is no key of this page. It is left out."
    ]


UNSEEN = [chr(mark) for mark in (0, 9, 27, 0x9B, 0xAD, 0x34F, 0x200B, 0x200E, 0x202E, 0x2028, 0x2060, 0x2066, 0xFEFF)]


@each_row("key", ["server", "name", "gpus", "place", "waits", "years", ALSO, "flavour"])
@each_row("mark", UNSEEN)
def test_a_mark_that_does_not_show_reaches_no_sentence_and_no_field(key: str, mark: str) -> None:
    for held in ({key: f"{mark}50000"}, {f"{key}{mark}": "5"}, {ALSO: f'{{"wo{mark}rk":[{{"label":"a{mark}"}}]}}'}):
        scenario, told = scenario_from_link(held)
        usable, lost = clean_link(held, _without_sites())
        assert told
        assert not [text for text in (*told, *lost, *usable, *usable.values(), repr(scenario)) if mark in text]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from([*KEYS, ALSO, "flavour"]) | st.text(max_size=9), st.text(max_size=30), max_size=3)
)
def test_whatever_a_link_holds_its_sentences_show_all_their_marks(held: dict[str, str]) -> None:
    scenario, told = scenario_from_link(held)
    assert not [text for text in (*told, scenario.name, scenario.site) if unseen(text)]


def test_hours_of_the_day_are_put_into_the_rest_of_a_link_and_taken_out() -> None:
    rest = '{"work":[{"label":"chat"},{"accelerators":4}],"mix":{"own_accelerators":8}}'
    hours = day_patterns()["office hours"].by_hour
    told = extra_with_hours(rest, hours)
    assert extra_by_hour(told) == hours
    assert scenario_from_link({ALSO: told or ""}) == (scenario_with_hours(rest, hours), [])
    assert extra_with_hours(told, ()) == rest
    assert extra_with_hours(extra_with_hours(None, hours), ()) is None
    assert extra_by_hour("[1") == extra_by_hour('{"work":7}') == extra_by_hour(None) == ()


def test_a_list_of_owning_is_put_into_the_rest_of_a_link_and_taken_out() -> None:
    rest = '{"own":{"busy_power_share":0.7,"insurance_share_per_year":0.01},"mix":{"own_accelerators":8}}'
    curve = [one.model_dump() for one in parse_power_curve("0:25, 50:60, 100:76") or ()]
    told = extra_with_ownership(rest, {"power_at_load": curve, "busy_power_share": None})
    assert extra_field(told, "own", "power_at_load") == curve
    read, slips = scenario_from_link({ALSO: told or ""})
    assert (len(read.own.power_at_load), read.own.busy_power_share, slips) == (3, None, [])
    assert read.own.insurance_share_per_year == 0.01
    left = '{"own":{"insurance_share_per_year":0.01},"mix":{"own_accelerators":8}}'
    assert extra_with_ownership(told, {"power_at_load": None}) == left
    assert extra_with_ownership(extra_with_ownership(None, {"power_at_load": curve}), {"power_at_load": None}) is None
    assert (
        extra_field("[1", "own", "orders")
        is extra_field('{"own":7}', "own", "orders")
        is extra_field(None, "own", "orders")
        is None
    )
    assert extra_with_ownership('{"own":7}', {"orders": None}) is None


def scenario_with_hours(rest: str, hours: tuple[float, ...]) -> Scenario:
    """What the rest of a link says, with these hours for its first work."""
    plain = scenario_from_link({ALSO: rest})[0]
    first = Work.model_validate(plain.work[0].model_dump() | {"by_hour": hours})
    return plain.model_copy(update={"work": (first, *plain.work[1:])})


def test_every_named_day_can_be_worked() -> None:
    for pattern in day_patterns().values():
        assert Work(by_hour=pattern.by_hour).effective_utilization == pytest.approx(sum(pattern.by_hour) / 24)
        assert match_day_pattern(pattern.by_hour) == pattern
    assert match_day_pattern((1.0,) * 24) is None


@pytest.mark.parametrize(("also", "said"), [
    ('{"stay":"country","stay_in":["ZZ"]}', "stay_in.0: No country is called 'ZZ'."),
    ('{"currency":{"code":"XYZ"}}', "currency: no rate of XYZ is known; there are USD, AUD"),
])  # fmt: skip
def test_a_list_or_group_with_an_unknown_name_is_left_out_as_a_whole(also: str, said: str) -> None:
    scenario, told = scenario_from_link({ALSO: also}, load_catalogue())
    assert (scenario.stay_in, scenario.currency) == ((), None)
    assert len(told) == 1
    assert said in told[0]
