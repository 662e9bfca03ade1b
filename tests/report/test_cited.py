"""What stands below a chart: each figure that somebody says, with its day and link."""

from dataclasses import replace

from planner.money.ledger import Origin
from planner.money.verdict.answer import build_answer
from planner.report.facts.assumptions import sources_of_ledgers
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from tests.facts import DAY
from tests.study.planned import catalogue


def test_each_figure_stands_once_with_a_source_of_the_catalogue_and_its_day() -> None:
    ledgers = [way.option.ledger for way in build_answer(planned(catalogue(), Scenario(), DAY)).ranked]
    table = sources_of_ledgers(ledgers)
    linked = [place for place, link in enumerate(table["Link"]) if link]
    assert linked == list(range(len(linked)))  # those that can be looked up stand first
    urls = {str(source.url) for source in catalogue().sources.values()}
    assert {str(table["Link"][place]) for place in linked} <= urls
    assert all(table["Day"][place] for place in linked)
    rows = list(zip(table["Figure"], table["Value"], table["Said by"], strict=True))
    assert len(rows) == len(set(rows))
    assert list(sources_of_ledgers([*ledgers, *ledgers])["Figure"]) == list(table["Figure"])
    assert not {"computed", "input", "convention"} & set(table["Kind"])


def test_a_link_that_no_browser_may_open_is_none() -> None:
    ledger = build_answer(planned(catalogue(), Scenario(), DAY)).ranked[0].option.ledger
    line = next(one for one in ledger.lines if one.used)
    bad = Origin("somebody", "list_price", url="javascript:alert(1)")
    told = replace(line, used=tuple(one._replace(origin=bad) for one in line.used))
    table = sources_of_ledgers([replace(ledger, lines=(told,))])
    assert table["Said by"]
    assert set(table["Link"]) == {None}
