"""What is believed, and what is held with which reason. Prices of the frozen catalogue: RunPod's H100 costs $2.69."""

from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from pricing import Catalogue, load_catalogue
from pricing.feeds import live
from pricing.feeds.feed import (
    AnyPriced,
    ExchangeRateObservation,
    GateReason,
    HostedPriceObservation,
    Observation,
    ObservedPrice,
    split_observation,
)
from pricing.feeds.gate import MarketPrices, PriceValidator, lost_many_prices
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.sources import feeds, hosted
from pricing.feeds.store import PriorPrices
from pricing.names import plain
from pricing.records import HostedPrice
from tests.frozen import live_catalogue
from tests.pricing.feeds.made import DAY, row
from tests.pricing.feeds.server import Answer, Server
from tests.rows import each_row

MARKET = MarketPrices.of(load_catalogue())


def judged(one: AnyPriced, before: PriorPrices | None = None) -> GateReason | None:
    """Why the gate does not believe it."""
    return PriceValidator(MARKET, before or PriorPrices(), DAY).reading(one, "digest").reason


def kind(one: AnyPriced, before: PriorPrices | None = None) -> str | None:
    """The same, but for its numbers."""
    reason = judged(one, before)
    return None if reason is None else reason.kind


def known(one: AnyPriced, usd: float, days: int = 1) -> PriorPrices:
    """The last believed price of the same product, and what was read of it yesterday: the same as today."""
    _, product, price = split_observation(one)
    return PriorPrices(believed={product: (usd, DAY - timedelta(days=days))}, earlier={product: price.price})


def test_an_ordinary_price_is_believed() -> None:
    assert judged(Observation(**row(2.79))) is None


@pytest.mark.parametrize("price", [0, -1.0, float("nan"), float("inf")])
def test_no_price_is_no_price_and_nobody_is_asked(price: float) -> None:
    reason = judged(Observation(**row(price)))
    assert reason == GateReason("no_price")
    assert reason.verdict == "refused"


@each_row(("changes", "reason"), [
    ({"count": 0}, "no_shape"), ({"count": 100_000}, "no_shape"), ({"purchase": "lease"}, "no_shape"),
    ({"price": 250_000.0}, "huge"), ({"seller": "Nobody's Cloud"}, "unknown_seller"),
    ({"accelerator": "H900"}, "unknown_accelerator"),
    ({"accelerator": "H100 SXM", "memory_gb": 40}, "unclear_accelerator"),
    ({"currency": "XAU"}, "unknown_currency"),
])  # fmt: skip
def test_what_cannot_be_placed_is_held(changes: dict[str, Any], reason: str) -> None:
    assert kind(Observation(**row(**changes))) == reason


def test_a_name_that_nobody_knows_is_told_with_its_memory() -> None:
    reason = judged(Observation(**row(accelerator="H900", memory_gb=192)))
    assert reason.name == "H900 with 192 GB"
    assert not reason.acceptable


def test_memory_decides_what_a_wide_name_means() -> None:
    chip = MARKET.names.chip
    assert chip("", "V100S", 32.0) == "V100S-PCIe-32GB"
    assert chip("", "A100 SXM4", 79.6) == "A100-SXM4-80GB"  # GiB, of what is sold as 80 GB
    assert chip("", "H100", 94.0) == "H100-NVL-94GB"
    assert chip("", "A100", 80.0) == "A100-80GB"  # SXM or PCIe: the source says no more
    assert chip("", "A100", None) == "A100"


def test_euros_are_compared_in_dollars() -> None:
    euro = MARKET.usd_of["EUR"]
    reading = PriceValidator(MARKET, PriorPrices(), DAY).reading(Observation(**row(2.5, currency="EUR")), "digest")
    assert reading.usd == pytest.approx(2.5 * euro)
    assert reading.reason is None
    assert (reading.observed.price, reading.observed.currency) == (2.5, "EUR")


def test_a_machine_is_told_by_its_accelerators() -> None:
    reading = PriceValidator(MARKET, PriorPrices(), DAY).reading(Observation(**row(21.52, count=8)), "digest")
    assert reading.usd == pytest.approx(2.69)


# Against the last believed price. Posted prices: 2.5 x 0.25 in logarithms is a factor of 1.87 within a day.


@pytest.mark.parametrize(("price", "held"), [(2.69 * 1.85, False), (2.69 * 1.90, True), (2.69 / 1.90, True)])
def test_a_jump_is_held_with_before_and_after(price: float, held: bool) -> None:
    one = Observation(**row(price))
    reason = judged(one, known(one, 2.69, days=0))
    assert (reason is not None) is held
    if reason is not None:
        assert (reason.kind, reason.usd, reason.against) == ("jump", price, 2.69)
        assert reason.factor == pytest.approx(1.868, abs=0.001)
        assert reason.acceptable


def test_a_price_may_have_moved_further_where_nobody_looked_for_long() -> None:
    one = Observation(**row(2.69 * 3, region="a region that no list has"))
    assert kind(one, known(one, 2.69, days=1)) == "jump"
    assert kind(one, known(one, 2.69, days=180)) is None


def test_spot_prices_may_jump_further_than_lists() -> None:
    spot = Observation(**row(3.0, purchase="spot", region="a region that no list has"))
    listed = Observation(**row(3.0, seller="AWS", region="us-east-1"))
    assert kind(spot, known(spot, 1.0, days=0)) is None
    assert kind(listed, known(listed, 1.0, days=0)) == "jump"


def test_the_catalogues_own_price_counts_where_nothing_was_read_yet() -> None:
    reason = judged(Observation(**row(269.0)))
    assert (reason.kind, reason.against) == ("cents", 2.69)


@pytest.mark.parametrize(
    ("price", "count", "reason"),
    [(2.69 * 8 * 8, 8, "per_machine"), (2.69, 8, "per_accelerator"), (269 * 8, 8, "cents"), (0.0269, 1, "cents")],
)
def test_a_mistake_is_called_by_its_name(price: float, count: int, reason: str) -> None:
    one = Observation(**row(price, count=count))
    assert kind(one, known(one, 2.69, days=0)) == reason


def test_what_somebody_refused_is_not_asked_again() -> None:
    one = Observation(**row(9.99))
    before = PriorPrices(refused={split_observation(one)[1]: 9.99})
    assert kind(one, before) == "as_refused"
    assert kind(Observation(**row(9.50)), before) != "as_refused"


# Where the product is new


def test_a_new_product_is_held_against_what_its_seller_asks_for_others() -> None:
    """RunPod sells it at 2.69: eight in a machine at 2.69 for all is a price for one."""
    one = row(2.69, count=8, region="a new region", purchase="on_demand", doubts=())
    assert kind(Observation(**one)) == "per_accelerator"


@pytest.mark.parametrize(("price", "held"), [(0.2, True), (1.5, False), (40.0, True)])
def test_a_new_product_must_lie_in_its_markets_range(price: float, held: bool) -> None:
    reason = judged(Observation(**row(price, seller="Salad")))
    assert (reason is not None and reason.kind == "out_of_range") is held


def test_a_lowest_bid_may_lie_far_below() -> None:
    assert kind(Observation(**row(0.3, seller="Salad", doubts=("minimum_bid",)))) is None


# Models and currencies


def test_hosted_models() -> None:
    told = {"vendor": "Anthropic", "model": "claude-3-haiku"}
    haiku = HostedPriceObservation(**told, input_usd_per_mtoken=0.25)
    before, _ = MARKET.shapes.hosted_price(haiku, ObservedPrice(0.25)) or (0.0, DAY)
    assert kind(HostedPriceObservation(**told, input_usd_per_mtoken=before)) is None
    assert kind(HostedPriceObservation(**told, input_usd_per_mtoken=0.0)) == "no_price"
    assert kind(HostedPriceObservation(**told, input_usd_per_mtoken=before * 100)) == "cents"
    assert kind(HostedPriceObservation(**told, input_usd_per_mtoken=before * 1e6)) == "huge"
    assert kind(HostedPriceObservation("Nobody Ltd", "m", 1.0)) == "unknown_seller"
    assert kind(HostedPriceObservation("Anthropic", "claude-99", 3.0, 15.0)) is None


def test_exchange_rates() -> None:
    euro = MARKET.usd_of["EUR"]
    assert kind(ExchangeRateObservation("EUR", euro * 1.02)) is None
    assert kind(ExchangeRateObservation("EUR", euro * 2)) == "jump"
    assert kind(ExchangeRateObservation("EUR", 0.0)) == "no_price"
    assert kind(ExchangeRateObservation("ZZZ", 1.0)) == "unknown_currency"


@pytest.mark.parametrize(
    ("seen", "before", "shrunk"), [(49, 100, True), (50, 100, False), (1, 4, False), (1, None, False)]
)
def test_a_source_that_lost_half_has_shrunk(seen: int, before: int | None, shrunk: bool) -> None:
    assert lost_many_prices(seen, before) is shrunk


Prices = dict[tuple[str, str], tuple[float, float]]


def tiered(catalogue: Catalogue) -> dict[tuple[str, str], list[str]]:
    """The records of each model that has more than one at the same vendor."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, one in catalogue.hosted.items():
        found[one.vendor, one.model].append(key)
    return {model: keys for model, keys in found.items() if len(keys) > 1}


def asked(record: HostedPrice) -> tuple[float, float]:
    """What the record asks for a million tokens, to read and to write."""
    return record.input_usd_per_mtoken.newest.typical, record.output_usd_per_mtoken.newest.typical


def base_of(catalogue: Catalogue, keys: list[str]) -> str:
    """The record of no tier."""
    (key,) = (key for key in keys if catalogue.hosted[key].tier is None)
    return key


def peak_or_base(catalogue: Catalogue, keys: list[str]) -> str:
    """The record that LiteLLM's price belongs to: it lists that of the dearest hours."""
    peak = [key for key in keys if catalogue.hosted[key].tier == "peak hours"]
    return peak[0] if peak else base_of(catalogue, keys)


@pytest.fixture
def refreshed(server: Server, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> object:
    """The shipped catalogue after LiteLLM has been read with these prices."""
    monkeypatch.setattr(live, "load_catalogue", live_catalogue)
    live._stored.cache_clear()
    live._with_live_prices.cache_clear()

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
        (source,) = refresh((feeds()["litellm"],), live_catalogue(), Ways(environ=environ, at=at, day=DAY)).sources
        assert source.verdicts == {"believed": len(prices)}
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
    prices = {model: asked(facts.hosted[peak_or_base(facts, keys)]) for model, keys in models.items()}
    prices = {model: (round(read * 0.9, 6), round(write * 0.9, 6)) for model, (read, write) in prices.items()}
    now = refreshed(prices)  # type: ignore[operator]
    for model, keys in models.items():
        base = peak_or_base(facts, keys)
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


def test_litellms_price_is_that_of_the_dearest_hours(refreshed: object) -> None:
    now = refreshed({("DeepSeek", "deepseek-v4-pro"): (1.32, 3.96)})  # type: ignore[operator]
    assert asked(now.hosted["DeepSeek/deepseek-v4-pro"]) == (0.66, 1.98)
    peak = now.hosted["DeepSeek/deepseek-v4-pro (peak hours)"]
    assert (asked(peak), peak.input_usd_per_mtoken.checked) == ((1.32, 3.96), DAY)
