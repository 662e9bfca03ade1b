"""Tests of the program are given the frozen catalogue, and only tests of the data see the one that ships."""

from pricing import load_catalogue
from pricing.catalogue import cache_dir
from pricing.load import load
from tests import house
from tests.frozen import FROZEN, LIVE

SEE_THE_LIVE_ONE = (
    "tests/pricing/", "tests/frozen.py", "tests/newcomers.py", "tests/test_any_facts.py",
    "tests/study/test_plain_questions.py", "tests/study/test_one_offer_less.py", "tests/money/test_likely_price.py",
    "tests/money/test_facts_of_sellers.py", "tests/money/test_places.py", "tests/study/test_usual_defaults.py",
    "tests/study/test_usual_chips.py", "tests/study/test_rivals.py", "tests/study/test_one_line.py",
    "tests/study/test_line_classes.py", "tests/study/test_line_rhythm.py", "tests/study/test_line_options.py",
    "tests/study/test_line_money.py", "tests/study/test_line_conditions.py", "tests/study/test_line_offers.py",
    "tests/study/test_line_kinds.py", "tests/study/test_line_owned.py", "tests/money/test_people.py",
    "tests/money/ways/test_keep.py", "tests/report/test_time_cost_front.py", "tests/report/test_by_request.py",
    "tests/study/test_market.py", "tests/study/test_market_cases.py",
)  # fmt: skip


def test_every_test_is_given_the_frozen_catalogue() -> None:
    assert FROZEN != LIVE
    assert load_catalogue().digest == load(FROZEN, cache=cache_dir()).digest


def test_only_tests_of_the_data_and_of_any_facts_ask_for_the_live_one() -> None:
    mine = f"{__name__.replace('.', '/')}.py"
    asking = [path for path, text in house.texts() if path.endswith(".py") and "from tests.frozen import" in text]
    assert "tests/pricing/conftest.py" in asking
    assert [path for path in asking if not path.startswith(SEE_THE_LIVE_ONE) and path != mine] == []
