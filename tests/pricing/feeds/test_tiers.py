"""A model that costs more for long prompts, at peak hours or in one region has a record for each of these tiers.

Sources name the model and no tier. Their price belongs to the base record; the records of the tiers stay as they are.
"""

from collections import Counter, defaultdict
from datetime import date
from urllib.parse import urlsplit

import pytest

from pricing import Catalogue
from pricing.feeds import live
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.sources import feeds, hosted
from pricing.names import plain
from pricing.records import HostedPrice
from tests.frozen import live_catalogue
from tests.pricing.feeds.server import Answer, Server

DAY = date(2026, 11, 23)
Prices = dict[tuple[str, str], tuple[float, float]]


def tiered(catalogue: Catalogue) -> dict[tuple[str, str], list[str]]:
    """The records of each model that has more than one at the same vendor."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, one in catalogue.hosted.items():
        found[one.vendor, one.model].append(key)
    return {model: keys for model, keys in found.items() if len(keys) > 1}


def asked(record: HostedPrice) -> tuple[float, float]:
    """What the record asks for a million tokens, to read and to write."""
    assert record.output_usd_per_mtoken is not None
    return record.input_usd_per_mtoken.newest.typical, record.output_usd_per_mtoken.newest.typical


def base_of(catalogue: Catalogue, keys: list[str]) -> str:
    """The record of no tier."""
    (key,) = (key for key in keys if catalogue.hosted[key].tier is None)
    return key


@pytest.fixture
def refreshed(server: Server, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> object:
    """The shipped catalogue after LiteLLM has been read with these prices."""
    monkeypatch.setattr(live, "load_catalogue", live_catalogue)
    monkeypatch.setattr(live, "_LAST", [])

    def done(prices: Prices) -> Catalogue:
        rows = {
            f"{vendor}/{model}": {
                "litellm_provider": vendor, "mode": "chat", "input_cost_per_token": read / 1e6,
                "output_cost_per_token": write / 1e6,
            }
            for (vendor, model), (read, write) in prices.items()
        }  # fmt: skip
        server.says(urlsplit(hosted.LITELLM).path, Answer(json=rows))
        at = server.at(*feeds()["litellm"].hosts)
        (found,) = refresh((feeds()["litellm"],), live_catalogue(), Ways(environ=environ, at=at, day=DAY)).sources
        assert found.verdicts == {"believed": len(prices)}
        return live.current(environ)

    return done


def test_each_model_of_a_vendor_has_one_base_record_and_tiers_of_their_own(real: Catalogue) -> None:
    counts = Counter((plain(one.vendor), plain(one.model), one.tier) for one in real.hosted.values())
    assert [one for one, count in counts.items() if count > 1] == []
    assert [model for model in {one[:2] for one in counts} if (*model, None) not in counts] == []


def test_a_price_without_a_tier_goes_to_the_base_record_of_every_model(refreshed: object) -> None:
    facts = live_catalogue()
    models = tiered(facts)
    assert len(models) >= 38
    prices = {model: asked(facts.hosted[base_of(facts, keys)]) for model, keys in models.items()}
    prices = {model: (round(read * 0.9, 6), round(write * 0.9, 6)) for model, (read, write) in prices.items()}
    now = refreshed(prices)  # type: ignore[operator]
    for model, keys in models.items():
        base = base_of(facts, keys)
        figure = now.hosted[base].input_usd_per_mtoken
        assert (asked(now.hosted[base]), figure.since, figure.checked) == (prices[model], DAY, DAY), base
        assert {key: now.hosted[key] for key in keys if key != base} == {
            key: facts.hosted[key] for key in keys if key != base
        }
    assert now.hosted.keys() == facts.hosted.keys()


def test_gpt_5_5_keeps_its_price_for_long_prompts(refreshed: object) -> None:
    now = refreshed({("OpenAI", "gpt-5.5"): (4.5, 27)})  # type: ignore[operator]
    assert asked(now.hosted["OpenAI/gpt-5.5"]) == (4.5, 27)
    assert asked(now.hosted["OpenAI/gpt-5.5 (over 272k)"]) == (10, 45)


def test_a_price_that_is_exactly_that_of_a_tier_belongs_to_the_tier(refreshed: object) -> None:
    """Some sources list DeepSeek's price at peak hours, twice the base price, without saying so."""
    now = refreshed({("DeepSeek", "deepseek-v4-pro"): (1.32, 3.96)})  # type: ignore[operator]
    assert asked(now.hosted["DeepSeek/deepseek-v4-pro"]) == (0.66, 1.98)
    peak = now.hosted["DeepSeek/deepseek-v4-pro (peak hours)"]
    assert (asked(peak), peak.input_usd_per_mtoken.checked) == ((1.32, 3.96), DAY)
