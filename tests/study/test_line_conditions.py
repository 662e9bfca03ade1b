"""What a line forbids or wants certified, whose sellers it refuses, and readable lines of other languages."""

from planner.study.one_line.read_line import read_line
from tests.frozen import live_catalogue
from tests.rows import each_row
from tests.study.test_line_classes import _plan


@each_row("line", ["20 H100 in Canada, no US companies", "32 h100 in the UK, American sellers are out"])
def test_of_a_country_whose_sellers_are_refused_none_is_rented_from(line: str) -> None:
    plan = _plan(line)
    assert plan is not None
    theirs = {key for key, it in live_catalogue().providers.items() if it.headquarters == "US"}
    assert len(theirs) > 20
    assert set(plan.not_from) == theirs


@each_row(("line", "stay"), [
    ("US cloud providers are out, 8 H100 in Germany", "eu_sellers"), ("EU-only hosting, 16 h100", "eu"),
    ("serve llama 70b at 3 rps, no data outside Germany", "country"),
    ("16 h100 in france, US companies are excluded", "eu_sellers"),
])  # fmt: skip
def test_sellers_or_hosting_of_the_union_alone_bind_the_plan(line: str, stay: str) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.stay == stay


@each_row(("line", "left"), [
    ("FedRAMP High only, 16 H100", "FedRAMP High only, as what sellers are certified for"),
    ("HIPAA, 8 H100 in Texas", "HIPAA, as"), ("64 h100 with ISO 27001, 2 years", "ISO 27001, as"),
    ("3 years of 64 H100 with InfiniBand", "with InfiniBand, as which network"),
    ("we refuse to use anything chinese, llama 70b, 5 rps", "refuse to use anything chinese"),
])  # fmt: skip
def test_a_condition_that_no_record_has_is_said_before_the_answer(line: str, left: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert any(text.startswith(left) for text in reading.left_out), reading.left_out


def test_no_contract_leaves_what_is_owned_and_what_is_rented_by_the_hour() -> None:
    plan = _plan("llama 3.1 8b at 200 rps, no contract longer than 1 month")
    assert plan is not None
    assert {"own", "on_demand"} <= set(plan.ways)
    assert not {"reserved", "lease"} & set(plan.ways)


@each_row(("line", "site", "many"), [
    ("Minha empresa no Brasil quer comprar uma máquina com 4 L40S", "BR", 4),
    ("Wir brauchen 2 Server mit je 4 H100 NVL, Laufzeit 5 Jahre, Standort Köln", "DE", 8),
    ("Queremos comprar 4 servidores HGX H200 en Madrid", "ES", 32),
])  # fmt: skip
def test_a_readable_line_of_another_language_is_read(line: str, site: str, many: int) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.site, plan.work[0].accelerators) == (site, many)
