"""A page in another currency shows every amount in it: sentences, cards, tables, charts, their axes and hovers."""

import re
from collections.abc import Sequence
from itertools import cycle

import pytest

from planner.scenario.presets import find_preset, load_presets
from planner.scenario.terms import Currency
from pricing.exchange import mark_of, rates
from tests.crawl.walk import MARKET, VIEWS, View, opened
from tests.daily import of_today
from tests.facts import CATALOGUE
from tests.shown_money import differences

RATES = rates(CATALOGUE)
EACH = [(preset.key, code) for preset, code in zip(load_presets(), cycle(["EUR", "JPY", "INR"]), strict=False)]
QUICK = [view for view in VIEWS if view[2] in ("Every option", "Payback", "What moves the answer", "Price history")]
# The rate itself, and what a note quotes of a seller, stay as they are (decision 0068).
_RATE = re.compile(
    r" · read at [\d.,]+ USD|(?: · )?:small\[:gray\[1 [A-Z]{3} = [^\]\n]*\]\]| · 1 [A-Z]{3} = [^\]\n]*|\d+ changed"
)
_UNREAD = re.compile(r"(?m)^\s*(data|values|id|url|page_script_hash): .*$|\$\$[\w-]+|\(\.\+\)\$|Startup, \\*\$50k")


def shown(page: str, code: str | None, key: str, view: View) -> tuple[str, str]:
    """Return the sentences and cards of a page, and all that it sends to a browser but the rows of tables."""
    preset = find_preset(key)
    assert preset is not None
    currency = None if code is None else Currency(code=code, usd_per_unit_by_year=(RATES[code].usd,))
    scenario = preset.scenario.model_copy(update={"currency": currency, "name": "Example"})
    app = opened(page, scenario, **({view[1]: view[2]} if view[1] else {}))
    texts = [f"{card.label} {card.value} {card.delta}" for card in app.metric]
    texts += [part.value for part in (*app.title, *app.markdown)]
    tables = [table.value.to_csv() for table in (*app.dataframe, *app.table)]
    sent = [_UNREAD.sub("", str(part.proto)) for part in app._tree if hasattr(part, "proto")]
    return _RATE.sub("", "\n".join(texts).replace("\\", "")), "\n".join((*sent, *tables))


def check(key: str, code: str, views: Sequence[View]) -> None:
    for view in views:
        (usd_text, _), (text, sent) = (shown(view[0], money, key, view) for money in (None, code))
        assert "$" not in sent, (view, [line[:200] for line in sent.splitlines() if "$" in line])
        assert not (wrong := differences(usd_text, text, mark_of(code), code, RATES[code].usd)), (view, wrong)


@pytest.mark.slow
def test_a_page_in_a_currency_has_no_dollar_and_every_amount_at_its_rate() -> None:
    check("startup", "INR", QUICK)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "code"), of_today(EACH, 2))
def test_no_page_of_an_example_in_a_currency_has_a_dollar(key: str, code: str) -> None:
    check(key, code, [view for view in VIEWS if view != MARKET])
