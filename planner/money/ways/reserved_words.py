"""What is reserved when, in words: 16 for 3 years, then for 1 year; 8 more from month 13 for 3 years."""

from itertools import groupby

import numpy as np

from planner.money.demand.stream import Need
from planner.money.renting.reservation import Part
from planner.money.setting import Booking, Setting, Tier
from planner.scenario.durations import months_words

ON_DEMAND = ", then rent on demand"
_IN_TITLE = 2  # tiers
_NEARLY = 1e-9


def in_brief(steps: list[Tier], months: float) -> str:
    """As a title has it: for 3 years, then 1 year; or in steps, from 8 to 40."""
    if len(steps) == 1:
        many = "" if steps[0].most is None else f"{steps[0].most:,} "
        return f"{many}for {months_words(steps[0].bookings[0].term_months)}{_then(steps[0].bookings, months)}"
    if len(steps) <= _IN_TITLE:
        return ", ".join(_step(one, place) for place, one in enumerate(steps))
    return f"in {len(steps)} steps, from {steps[0].most:,} to {sum(one.most or 0 for one in steps):,}"


def in_full(steps: list[Tier], months: float, *, leaves_some: bool) -> str:
    """Every step with all its terms; nothing where one term is all there is."""
    if len(steps) <= 1:
        follows = any(_then(one.bookings, months) for one in steps)
        return in_brief(steps, months) if follows else ""
    told = "; ".join(f"{_step(one, place)}{_then(one.bookings, months)}" for place, one in enumerate(steps))
    return f"{told}; the rest on demand" if leaves_some else told


def heading(part: Part, several: bool) -> str:
    """Over the lines of one of several reservations."""
    own = [one for one in part.tier.bookings if one.offer == part.offer]
    step = f"Step {part.step}, " if several else ""
    many = "" if part.tier.most is None else f"{part.tier.most:,} "
    since = f"from month {own[0].after_months + 1} " if own[0].after_months else ""
    said = f"{step}{many}{since}for {months_words(own[0].term_months)}"
    return f"{said[0].upper()}{said[1:]}"


def told_of(setting: Setting, need: Need) -> list[Tier]:
    """The tiers with the reservations that the work asks for; of several futures, in any."""
    many = np.atleast_1d(need.accelerators)
    wanted = np.broadcast_to(many.reshape(-1, many.shape[-1]).max(axis=0), setting.timeline.last + 1)
    found, beneath = [], 0.0
    for tier in setting.taken.reserved_tiers:
        so_far = np.cumsum(wanted > beneath + _NEARLY).tolist()  # months that ask for it
        within = (one for one in tier.bookings if one.after_months < setting.timeline.months)
        taken = tuple(
            one
            for one in within
            if tier.is_fixed or so_far[min(int(one.until), setting.timeline.last)] > so_far[one.after_months]
        )
        if taken:
            found.append(Tier(taken, tier.most, tier.is_fixed))
        beneath += tier.most or 0
    return found


def _step(tier: Tier, place: int) -> str:
    first = tier.bookings[0]
    more = " more" if place else ""
    since = f" from month {first.after_months + 1}" if first.after_months else ""
    return f"{tier.most:,}{more}{since} for {months_words(first.term_months)}"


def _then(bookings: tuple[Booking, ...], of_plan: float) -> str:
    """What follows on the first term."""
    told = ""
    for place, (months, same) in enumerate(groupby(one.term_months for one in bookings)):
        times = len(list(same))
        told += f", then {months_words(months)}" if place else ""
        told += ", renewed" if times > 1 else ""
    return told + (ON_DEMAND if bookings[-1].until < of_plan - _NEARLY else "")
