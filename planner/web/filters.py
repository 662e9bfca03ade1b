"""Filters of the Compare page. Their values live in the address like the question bar's."""

from collections.abc import Collection
from typing import get_args

import streamlit as st

from planner.money.renting.bill import TODAY, Money
from planner.money.renting.cheapest_offer import USUAL_PURCHASES
from planner.report import words
from planner.web import address
from pricing import Catalogue
from pricing.choices import Trust
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
ANY_NETWORK = "Any network"
NETWORKS: dict[str, tuple[str, ...]] = {
    ANY_NETWORK: (),
    "InfiniBand": ("infiniband",),
    "RoCE, EFA, GPUDirect": ("roce", "efa", "gpudirect"),
    "NVLink rack": ("nvlink_domain",),
}
ANY_SIZE = "Any machine"
SIZES: dict[str, int | None] = {ANY_SIZE: None} | {
    f"{words.count(count, 'GPU')} a machine": count for count in (1, 2, 4, 8)
}
USUAL_AGE = "Any age"  # an old price counts for less; it need not be hidden
TRUSTS: list[Trust] = list(get_args(Trust))
SAME, ANY = "Same GPU", "Any GPU that does the job"
HIDDEN = "hidden"  # in the address: hidden=true shows the filtered offers too, and the filters stay as they are
_TRUST = (
    "What a price rests on, weakest first: estimated by us, collected by a third party, published on the provider's "
    "own page, read from its price API, a quote, or yours."
)
_CAPACITY = (
    "Providers that state so many GPUs at once; for the others the usual number of their kind counts. "
    "A job on several GPUs needs them in one machine, or machines with a fast network between them; and if the work "
    "must stay in a place, the offer must state that place."
)
_BILLS = (
    "Off: later payments count for their value today, at the plan's discount rate, as everywhere in the answer. "
    "On: the plain sum of all payments."
)
_DOUBTFUL = (
    "GPU-only components, minimum bids, offers that do not state the form of the chip, list prices that nobody can "
    "order at, serverless, prices of earlier years."
)


def offer_filters(
    catalogue: Catalogue, accelerators: Collection[str], order: Order | None
) -> tuple[OfferFilter, bool, Money]:
    """Show the filters in one row.

    Return them for these accelerators, whether only offers that can take the order count, and the money of the sums.
    """
    address.choices("terms", TERMS, USUAL_TERMS)
    address.choice("area", (ANYWHERE, *AREAS), ANYWHERE)
    labels = {key: provider.label for key, provider in catalogue.providers.items()}
    address.choices("seller", labels)
    address.choice("machine", SIZES, ANY_SIZE)
    address.choice("network", NETWORKS, ANY_NETWORK)
    row = st.columns([9, 3.3, 4, 4, 4, 3], gap="small", vertical_alignment="center")
    with row[0]:
        terms = st.pills("Terms", list(TERMS), selection_mode="multi", key="terms", label_visibility="collapsed")
    with row[1]:
        area = st.selectbox("Region", [ANYWHERE, *AREAS], key="area", label_visibility="collapsed")
    with row[2]:
        sellers = st.multiselect(
            "Provider", sorted(labels, key=labels.__getitem__), format_func=labels.__getitem__, key="seller",
            placeholder="Any provider", label_visibility="collapsed",
        )  # fmt: skip
    with row[3]:
        size = st.selectbox("Machine", list(SIZES), key="machine", label_visibility="collapsed")
    with row[4]:
        network = st.selectbox("Network", list(NETWORKS), key="network", label_visibility="collapsed")
    with row[5], st.popover("More", icon=":material/tune:", key="filters-more"):
        able_only, money = _capacity_filter(order), _money_filter()
        age, trust, doubtful = _price_filters()
    query = OfferFilter(
        accelerators=frozenset({*accelerators, *(_ambiguous(catalogue, accelerators) if doubtful else ())}),
        providers=frozenset(sellers),
        fabrics=frozenset(NETWORKS[network]),
        purchases=frozenset(kind for term in terms or TERMS for kind in TERMS[term]),
        accelerators_per_instance=SIZES[size],
        areas=frozenset() if area == ANYWHERE else frozenset({AREAS[area]}),
        max_age_days=AGES[age],
        least_trust=trust,
        doubtful=doubtful,
    )
    return query, able_only, money


def _price_filters() -> tuple[str, Trust, bool]:
    """Show the filters for the price: its age, its trust, and listings that nobody can rent by."""
    address.choice("age", AGES, USUAL_AGE)
    address.choice("trust", TRUSTS, TRUSTS[0])
    address.switch("doubtful")
    return (
        st.selectbox("Prices checked within", list(AGES), key="age"),
        st.selectbox("Trust at least", TRUSTS, key="trust", help=_TRUST),
        st.toggle("Show listings without a rentable price", key="doubtful", help=_DOUBTFUL),
    )


def unfiltered(catalogue: Catalogue, accelerators: Collection[str]) -> OfferFilter:
    """Return a filter for nothing but the accelerators."""
    return OfferFilter(accelerators=frozenset({*accelerators, *_ambiguous(catalogue, accelerators)}), doubtful=True)


def _ambiguous(catalogue: Catalogue, accelerators: Collection[str]) -> set[str]:
    """Return the names that do not say which form of the chip they are of, and may be of one of these."""
    return {key for key, name in catalogue.ambiguous.items() if set(name.candidates) & set(accelerators)}


def scope_filter() -> bool:
    """Show the choice between every GPU that does the job (True) and the plan's own."""
    address.choice("across", (SAME, ANY), SAME)
    return st.pills("Compare", [SAME, ANY], required=True, key="across", label_visibility="collapsed") == ANY


def _capacity_filter(order: Order | None) -> bool:
    """Show the filter for providers that can take the order of the plan; None where each accelerator has its own."""
    address.switch("large", default=True)
    size = ""
    if order is not None and order.accelerators > 1:
        joined = f", {order.together:,} of one job" if order.together > 1 else ""
        size = f": {order.accelerators:,} GPUs at once{joined}"
    return st.toggle(f"Only sellers with capacity{size}", key="large", help=_CAPACITY)


def _money_filter() -> Money:
    address.switch("bills")
    return "bills" if st.toggle("Total cash, not discounted", key="bills", help=_BILLS) else TODAY


def shows_hidden() -> bool:
    """Return whether the table also lists the offers that the filters hide."""
    return address.text(HIDDEN) == "true"


def turn_hidden() -> None:
    """Show the hidden offers, or hide them again."""
    address.put({HIDDEN: None if shows_hidden() else "true"})
