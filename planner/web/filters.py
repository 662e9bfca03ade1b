"""The filters of the Compare page. Their values live in the address like the question bar's."""

from collections.abc import Collection
from dataclasses import replace

import streamlit as st

from planner.money.renting.bill import TODAY, Money
from planner.money.renting.cheapest_offer import USUAL_PURCHASES
from planner.report import words
from planner.web import address
from pricing import Catalogue
from pricing.choices import TRUST_ORDER
from pricing.orderable import Order
from pricing.query import OfferFilter

TERMS: dict[str, tuple[str, ...]] = {
    "On demand": ("on_demand",),
    "Reserved": ("reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y"),
    "Spot": ("spot",),
    "Capacity block": ("capacity_block",),
}
USUAL_TERMS = [term for term, kinds in TERMS.items() if USUAL_PURCHASES.issuperset(kinds)]
ANYWHERE = "Anywhere"
AREAS = {
    word[:1].upper() + word[1:]: area for area, word in words.AREA.items() if area not in ("anywhere", "not_stated")
}
AGES: dict[str, int | None] = {"30 days": 30, "60 days": 60, "180 days": 180, "1 year": 365, "Any age": None}
USUAL_AGE = "Any age"  # how old a price is says what it is worth, not whether it is shown
TRUSTS = list(TRUST_ORDER)


def ask_for(catalogue: Catalogue, accelerators: Collection[str]) -> OfferFilter:
    """Terms, region, age and trust, as one wish for these accelerators."""
    address.choices("terms", TERMS, USUAL_TERMS)
    address.choice("area", (ANYWHERE, *AREAS), ANYWHERE)
    address.choice("age", AGES, USUAL_AGE)
    address.choice("trust", TRUSTS, TRUSTS[0])
    address.switch("doubtful")
    row = st.columns([5, 2, 2, 2], gap="medium", vertical_alignment="bottom")
    with row[0]:
        terms = st.pills("Terms", list(TERMS), selection_mode="multi", key="terms")
    with row[1]:
        area = st.selectbox("Region", [ANYWHERE, *AREAS], key="area")
    with row[2]:
        age = st.selectbox("Prices checked within", list(AGES), key="age")
    with row[3]:
        trust = st.selectbox("Trust at least", TRUSTS, key="trust", help=_TRUST)
    doubtful = st.toggle("Show what is listed but is no price to rent by", key="doubtful", help=_DOUBTFUL)
    return OfferFilter(
        accelerators=frozenset({*accelerators, *(_may_be(catalogue, accelerators) if doubtful else ())}),
        purchases=frozenset(kind for term in terms or TERMS for kind in TERMS[term]),
        areas=frozenset() if area == ANYWHERE else frozenset({AREAS[area]}),
        max_age_days=AGES[age],
        least_trust=trust,
        doubtful=doubtful,
    )


def scope_filter() -> bool:
    """Whether to look at every GPU that does the job, or at the plan's own."""
    address.choice("across", (SAME, ANY), SAME)
    chosen = st.pills("Compare", [SAME, ANY], required=True, key="across", label_visibility="collapsed")
    return bool(chosen == ANY)


SAME, ANY = "Same GPU", "Any GPU that does the job"


def capacity_filter(order: Order | None) -> bool:
    """Whether to leave out who cannot take the order of the plan; None where each accelerator has its own."""
    address.switch("large", usual=True)
    return st.toggle(f"Only who can take this order{_ordered(order)}", key="large", help=_ABLE)


def money_filter() -> Money:
    """Whether what comes later counts for what it is worth today, as in the answer, or as it is billed."""
    address.switch("bills")
    return "bills" if st.toggle("Sums of bills", key="bills", help=_BILLS) else TODAY


def _ordered(order: Order | None) -> str:
    """So many at once, so many of one job: what a seller has to have."""
    if order is None or order.accelerators <= 1:
        return ""
    joined = f", {order.together:,} of one job" if order.together > 1 else ""
    return f": {order.accelerators:,} GPUs at once{joined}"


HIDDEN = "hidden"  # in the address: hidden=true shows what the filters leave out, and the filters stay as they are


def shows_hidden() -> bool:
    """Whether the table also lists what the filters leave out."""
    return address.text(HIDDEN) == "true"


def turn_hidden() -> None:
    """Show what the filters leave out, or leave it out again."""
    address.put({HIDDEN: None if shows_hidden() else "true"})


def wide_open(catalogue: Catalogue, accelerators: Collection[str]) -> OfferFilter:
    """The wish of somebody who filters nothing but the accelerators."""
    return OfferFilter(accelerators=frozenset({*accelerators, *_may_be(catalogue, accelerators)}), doubtful=True)


def _may_be(catalogue: Catalogue, accelerators: Collection[str]) -> set[str]:
    """The names that do not say which form of the chip they are of, and may be of one of these."""
    return {key for key, wide in catalogue.ambiguous.items() if set(wide.candidates) & set(accelerators)}


def without_accelerator(wish: OfferFilter) -> OfferFilter:
    """These filters without the one for the accelerator."""
    return replace(wish, accelerators=frozenset())


_TRUST = (
    "What a price rests on, weakest first: estimated by us, collected by a third party, published on the provider's "
    "own page, read from its price API, a quote, or yours."
)
_ABLE = (
    "Who has so many at once, as far as sellers say; for the others what sellers of their kind usually have is taken. "
    "A job on several GPUs needs them in one machine, or machines with a fast network between them; and where the work "
    "must stay, the offer has to say that it stands there."
)
_BILLS = (
    "Off: what comes later counts for what it is worth today, at the plan's cost of money, as everywhere in the "
    "answer. On: the plain sum of what is paid."
)
_DOUBTFUL = (
    "GPU-only components, minimum bids, offers that do not say which form of the chip, list prices nobody can order "
    "at, serverless, prices of earlier years."
)
