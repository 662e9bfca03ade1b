"""A person says what a name is. Prices of the frozen catalogue: RunPod's H100 costs $2.69."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from pricing import Catalogue, PricingError, load_catalogue
from pricing.feeds.database import opened
from pricing.feeds.feed import AnyPriced, HostedPriceObservation, Observation
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.given import NEW, UNWANTED
from pricing.feeds.live import current
from pricing.feeds.naming import NameDecisionResult, NameInput, say, unresolved_names
from pricing.feeds.store import LivePriceStore, SourceRefresh
from pricing.feeds.written import SourceInfo
from tests.pricing.feeds.made import DAY, row

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
ABOUT = SourceInfo("Example", "https://prices.example", "MIT", "price_api")
Done = Callable[..., NameDecisionResult]


@pytest.fixture
def read(environ: dict[str, str]) -> Callable[..., list[str]]:
    """Reads observations as a refresh does; which verdicts they got."""

    def done(*every: AnyPriced, run: str = "first") -> list[str]:
        with closing(opened(environ)) as database:
            store = LivePriceStore(database)
            with store.database.writing():
                market = MarketPrices.of(load_catalogue(), given=store.given())
                gate = PriceValidator(market, store.before("example", DAY), DAY)
                readings = [gate.reading(one, "digest") for one in every]
                store.keep(SourceRefresh(run, "example", ABOUT, DAY, NOON, seen=len(every)), readings, NOON)
        return ["believed" if reading.reason is None else reading.reason.verdict for reading in readings]

    return done


@pytest.fixture
def name(environ: dict[str, str]) -> Done:
    """Says what a name is, in Anna's name."""

    def done(called: str, means: str) -> NameDecisionResult:
        live = current(environ)
        with closing(opened(environ)) as database:
            return say(LivePriceStore(database), live, NameInput(called, means, "Anna", NOON))

    return done


def asked(environ: dict[str, str]) -> list[tuple[str, str, int]]:
    """The names that are asked about now."""
    with closing(opened(environ)) as database:
        found = unresolved_names(LivePriceStore(database).held(DAY))
    return [(one.what, one.called, one.prices) for one in found]


def new_offers(live: Catalogue) -> set[tuple[str, str, float]]:
    """Seller, accelerator and price of what the catalogue that ships has not."""
    found = set()
    for key, offer in live.offers.items():
        if key not in load_catalogue().offers:
            seller = live.providers[offer.provider].label
            found.add((seller, offer.accelerator, offer.usd_per_accelerator_hour.newest.typical))
    return found


def rental(price: float, **changes: Any) -> Observation:
    """RunPod's H100 somewhere where the catalogue has none."""
    return Observation(**row(price, **({"region": "Narvik, Norway", "sku": "x"} | changes)))


def test_each_name_is_asked_about_once(read: Callable[..., list[str]], environ: dict[str, str]) -> None:
    read(
        rental(2.7, accelerator="H-One-Hundred"), rental(2.8, accelerator="H-One-Hundred", sku="y"),
        rental(2.7, seller="Polar Cloud"), HostedPriceObservation("Polar Tokens", "llama", 0.5, 0.6),
    )  # fmt: skip
    assert asked(environ) == [
        ("accelerator", "H-One-Hundred with 80 GB", 2), ("seller", "Polar Cloud", 1), ("vendor", "Polar Tokens", 1),
    ]  # fmt: skip


def test_a_named_accelerator_is_believed_and_shown_and_so_is_what_comes_after(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, accelerator="H-One-Hundred"), rental(290.0, accelerator="H-One-Hundred", sku="y"))
    assert new_offers(current(environ)) == set()
    before = current(environ).digest
    done = name("h-one-hundred WITH 80 gb", "H100 SXM")
    assert (done.name.means, done.verdicts) == ("H100-SXM5-80GB", {"believed": 1, "held": 1})
    assert new_offers(current(environ)) == {("RunPod", "H100-SXM5-80GB", 2.7)}
    assert current(environ).digest != before
    with closing(opened(environ)) as database:
        (dear,) = LivePriceStore(database).held(DAY)
    assert dear.reason.kind in ("cents", "out_of_range"), "a name makes no price right"
    assert read(rental(2.6, accelerator="H-One-Hundred", sku="z"), run="second") == ["believed"]
    assert asked(environ) == []


def test_a_name_of_several_can_be_narrowed(read: Callable[..., list[str]], name: Done, environ: dict[str, str]) -> None:
    read(rental(2.7, memory_gb=40))
    assert asked(environ) == [("accelerator", "H100 SXM with 40 GB", 1)]
    assert name("H100 SXM with 40 GB", "H100-SXM5-80GB").verdicts == {"believed": 1}
    assert new_offers(current(environ)) == {("RunPod", "H100-SXM5-80GB", 2.7)}


def test_a_seller_can_be_one_that_is_known(read: Callable[..., list[str]], name: Done, environ: dict[str, str]) -> None:
    read(rental(2.7, seller="RP Secure"))
    name("RP Secure", "runpod")
    assert new_offers(current(environ)) == {("RunPod", "H100-SXM5-80GB", 2.7)}


def test_a_new_seller_is_taken_in_with_who_did_it(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, seller="Polar Cloud"))
    assert name("Polar Cloud", NEW).verdicts == {"believed": 1}
    live = current(environ)
    assert new_offers(live) == {("Polar Cloud", "H100-SXM5-80GB", 2.7)}
    seller = live.providers["named/polar-cloud"]
    assert seller.kind == "neocloud"
    assert seller.note == "Not in the catalogue that ships: Anna took it in on 2026-11-23."
    assert Catalogue.model_validate_json(live.model_dump_json()) == live, "as sound as one that was read"
    assert current(environ) is live
    assert read(rental(2.6, seller="Polar Cloud"), run="second") == ["believed"]


def test_a_vendor_of_tokens_can_be_new_or_known(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    known = next(iter(load_catalogue().hosted.values())).vendor
    read(
        HostedPriceObservation("Polar Tokens", "llama", 0.5, 0.6),
        HostedPriceObservation("Other Spelling", "llama", 0.7),
    )
    name("Polar Tokens", NEW)
    name("Other Spelling", known.upper())
    new = {key: one for key, one in current(environ).hosted.items() if key not in load_catalogue().hosted}
    assert {(one.vendor, one.model) for one in new.values()} == {("Polar Tokens", "llama"), (known, "llama")}


def test_a_name_that_is_not_wanted_is_not_asked_about_until_that_is_taken_back(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, seller="Polar Cloud"))
    assert name("Polar Cloud", UNWANTED).verdicts == {"refused": 1}
    assert asked(environ) == []
    assert read(rental(2.8, seller="Polar Cloud"), run="second") == ["refused"]
    assert name("polar cloud", "").verdicts == {"held": 1}
    assert asked(environ) == [("seller", "Polar Cloud", 1)]
    name("Polar Cloud", UNWANTED)
    assert name("Polar Cloud", NEW).verdicts == {"believed": 1}, "the price itself was never refused"


def test_what_was_said_can_be_changed_and_taken_back(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, accelerator="H-One-Hundred"))
    name("H-One-Hundred with 80 GB", "H100-SXM5-80GB")
    name("H-One-Hundred with 80 GB", "H100-PCIe-80GB")
    assert new_offers(current(environ)) == {("RunPod", "H100-PCIe-80GB", 2.7)}
    name("H-One-Hundred with 80 GB", "")
    assert new_offers(current(environ)) == set()
    assert read(rental(2.7, accelerator="H-One-Hundred", sku="y"), run="second") == ["held"]


def test_undoing_a_refresh_takes_no_name_away(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, seller="Polar Cloud"))
    name("Polar Cloud", NEW)
    with closing(opened(environ)) as database:
        LivePriceStore(database).undo("first", "Ben", NOON)
    assert new_offers(current(environ)) == set()
    assert read(rental(2.7, seller="Polar Cloud"), run="second") == ["believed"]


@pytest.mark.parametrize(("called", "means", "told"), [
    ("Nobody", "runpod", "No price waits under the name 'Nobody'"),
    ("Polar Cloud", "no such seller", "'new' takes it as a new seller"),
    ("H-One-Hundred with 80 GB", "no such chip", "'none' wants none of its prices"),
    ("H-One-Hundred with 80 GB", "A100", "Say which"),
    ("H-One-Hundred with 80 GB", NEW, "'none' wants none of its prices"),
    ("Polar Tokens", "no such vendor", "No vendor of tokens is called"),
])  # fmt: skip
def test_a_word_that_cannot_be_meant_changes_nothing(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str], called: str, means: str, told: str
) -> None:
    read(
        rental(2.7, accelerator="H-One-Hundred"), rental(2.7, seller="Polar Cloud"),
        HostedPriceObservation("Polar Tokens", "llama", 0.5, 0.6),
    )  # fmt: skip
    before = asked(environ)
    with pytest.raises(PricingError, match=told):
        name(called, means)
    assert asked(environ) == before
    with closing(opened(environ)) as database:
        assert LivePriceStore(database).given().every == ()


def test_a_seller_that_a_later_release_knows_is_that_one(
    read: Callable[..., list[str]], name: Done, environ: dict[str, str]
) -> None:
    read(rental(2.7, seller="Polar Cloud"))
    name("Polar Cloud", NEW)
    with closing(opened(environ)) as database:
        given = LivePriceStore(database).given()
    facts = load_catalogue()
    later = facts.model_copy(
        update={
            "providers": facts.providers
            | {"polar": facts.providers["runpod"].model_copy(update={"label": "Polar Cloud"})}
        }
    )
    assert given.add_new_providers(later) is later
    assert MarketPrices.of(later, given=given).names.seller("Polar Cloud") == "polar"
