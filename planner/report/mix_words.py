"""The best mix in words and tables: what it is, what it saves, from which use on owning pays, and how flat it is."""

from collections.abc import Sequence

import numpy as np

from planner.money.measures import present_usd
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.fleet import order_schedule_text
from planner.report.table import Table
from planner.scenario.rent import MixInputs
from planner.study.mix.best_mix import BestMix, MixUnavailable, completed_share_in_stages
from planner.study.mix.load_duration import EnvelopeSegment, Screen
from planner.study.mix.search import PricedExample

# From the bottom up: what binds most lies lowest.
_BY_FIRMNESS = sorted(WAYS.values(), key=lambda way: (-way.commitment_rank, way.place))
LAYERS = {way.key: way.layer for way in _BY_FIRMNESS if way.layer is not None}
_LITTLE = 0.005  # of a share: less is not shown as a difference


def mix_text(mix: MixInputs) -> str:
    """Own 8, reserve 4, rent the peaks."""
    stages = f" ({order_schedule_text(mix.orders)})" if mix.orders else ""
    parts = [
        f"own {mix.own_accelerators:,}{stages}" if mix.own_accelerators else "",
        f"reserve {mix.reserve_accelerators:,}" if mix.reserve_accelerators else "",
        LAYERS[mix.peaks].peaks,
    ]
    text = ", ".join(part for part in parts if part)
    return words.upper_first(text)


def mix_sentences(best: BestMix | MixUnavailable) -> tuple[str, ...]:
    """What to do, what it saves, why, and how much it matters."""
    if isinstance(best, MixUnavailable):
        return (f"There is no mix to look for: {best.reason}.",)
    return (
        _headline(best),
        *_why(best),
        _sensitivity_text(best),
        *_wait(best),
        *(words.sentence(item.reason) for item in best.infeasible),
        *(f"Not looked at: {reason}." for reason in best.rates.missing),
    )


def _headline(best: BestMix) -> str:
    known_usd = float(present_usd(best.plan.setting, best.single_option.ledger))
    dearest = " with what nobody publishes at its dearest" if best.single_option_usd > known_usd * (1 + 1e-9) else ""
    pure = f"{best.single_option.title}, {words.usd(best.single_option_usd)}{dearest}"
    if not best.is_mixed:
        return f"No mix is cheaper than one way alone ({pure})."
    cost = f"costs {_least(best)} {words.usd(best.usd)} in today's money"
    if not best.single_option_allowed:
        return f"{mix_text(best.mix)}: it {cost}. No way alone keeps to what you can pay."
    if best.saving_usd <= 0:
        return f"No mix is cheaper than one way alone ({pure}). The best ({mix_text(best.mix).lower()}) {cost}."
    less = words.percent(best.saving_share)
    return f"{mix_text(best.mix)}: it {cost}, {less} less than the best way alone ({pure})."


def _least(best: BestMix) -> str:
    return "at least" if best.at_most_usd > best.usd * (1 + 1e-9) else "about"


def _why(best: BestMix) -> tuple[str, ...]:
    """Why the mix owns as much as it does: the newsvendor's rule with its numbers."""
    own = next((screen for screen in best.screening_lines if screen.name == "own"), None)
    if own is None:
        return ()
    rest = "on_demand" if best.burst == "spot" else best.burst
    other = next(screen for screen in best.screening_lines if screen.name == rest)
    idle, busy, rent = (
        words.usd_per_hour(usd) for usd in (own.usd_per_hour, own.usd_per_busy_hour, other.usd_per_busy_hour)
    )
    prices = f"an hour of one's own costs {idle}, and {busy} more when busy, against {rent} for a busy hour elsewhere"
    if not best.break_even_utilization.is_found:
        return (f"Owning never pays here: {prices}.",)
    share = float(np.asarray(best.break_even_utilization.value))
    rule = f"A GPU is better owned if it is busy more than {words.percent(share)} of the time: {prices}."
    if best.mix.orders:
        return (f"{rule} Each server is ordered about when it would be that busy from then on.",)
    busier = best.load.units_busier_than(share)
    return (f"{rule} {abs(busier):,.0f} of {best.load.peak:,.0f} would be that busy.",)


def _sensitivity_text(best: BestMix) -> str:
    low, high = best.flat
    curve = {point.accelerators: point.usd for point in best.curve}
    if low < high:
        return f"It is flat: with anything between {low:,} and {high:,} owned it costs within 1% of the least."
    others = [(size, usd) for size, usd in curve.items() if size != best.own]
    if not others:
        return "No other number to own keeps to the limits."
    size, usd = min(others, key=lambda one: one[1])
    return f"The number matters: the next best, {size:,} owned, costs {words.percent(usd / best.at_most_usd - 1)} more."


def _wait(best: BestMix) -> tuple[str, ...]:
    wait = best.wait_hours
    if wait is None or not wait.is_found:
        return ()
    hours = words.count(words.round_significant(float(np.asarray(wait.value)), 2), "hour")
    return (f"A job that may wait does so for {hours} on average.",)


def layers_table(best: BestMix) -> Table:
    """The layers from the bottom up: how many, what part of the work, and what an hour costs."""
    setting = best.plan.setting
    done = [completed_share_in_stages(setting, best.mix, held) for held in (0, best.reserved)]
    counts = {"own": best.own, "reserved": best.reserved}
    shares = {"own": done[0], "reserved": done[1] - done[0], best.burst: 1.0 - done[1]}
    cheapest = {piece.name: piece for piece in best.layers}
    return Table.of(
        [
            {
                "Layer": LAYERS[screen.name].name,
                "GPUs": f"{counts[screen.name]:,}" if screen.name in counts else "what is left",
                "Part of the work": words.percent(max(shares.get(screen.name, 0.0), 0.0)),
                "An hour of capacity": words.usd_per_hour(screen.usd_per_hour) if screen.usd_per_hour else "–",
                "More when busy": words.usd_per_hour(screen.usd_per_busy_hour),
                "Cheapest if busy": _cheapest_label(screen.name, cheapest),
            }
            for screen in sorted(best.screening_lines, key=_order)
        ]
    )


def _cheapest_label(name: str, cheapest: dict[str, EnvelopeSegment]) -> str:
    if name not in cheapest:
        return "only where work may stop" if name == "spot" else "never"
    low, high = cheapest[name].from_share, cheapest[name].to_share
    if high - low < _LITTLE:
        return "never"
    return f"{words.percent(low)} to {words.percent(high)}"


def _order(screen: Screen) -> int:
    return list(LAYERS).index(screen.name)


def base_size_table(best: BestMix) -> Table:
    """What the plan costs over the size of the base."""
    least = best.at_most_usd
    rows = [
        {
            "Owned": point.accelerators,
            "Today's money, USD": point.usd,
            "Above the least": point.usd / least - 1 if least > 0 else 0.0,
        }
        for point in best.curve
    ]
    return Table.of(rows)


def load_table(best: BestMix) -> Table:
    """How busy each slice of capacity would be."""
    load = best.load
    rows = [
        {"GPUs": f"{int(low) + 1:,} to {int(high):,}" if high - low > 1 else f"{int(high):,}",
         "Busy": float(share),
         "Hours": float(hours)}
        for low, high, share, hours in zip(load.edges[:-1], load.edges[1:], load.busy_share, load.hours, strict=True)
    ]  # fmt: skip
    return Table.of(rows)


def load_summary(best: BestMix) -> str:
    """The picture of the load in a sentence, for those who cannot see it."""
    done = completed_share_in_stages(best.plan.setting, best.mix, 0)
    turn = best.break_even_utilization
    share = words.percent(float(np.asarray(turn.value))) if turn.is_found else "no share"
    return (
        f"How many GPUs have work for how much of the time, up to {best.load.peak:,.0f} at once. Owning pays above "
        f"{share} of the time. A base of {best.own:,} does {words.percent(done)} of the work."
    )


def base_size_summary(best: BestMix) -> str:
    """The cost curve in a sentence."""
    low, high = best.flat
    near = f"between {low:,} and {high:,}" if low < high else f"at {best.own:,}"
    return f"Cost over the number owned: least {near}, {words.usd(best.at_most_usd)} in today's money."


COST, MORE = "Today's money, USD", "More than the cheapest"


def tried_sentences(answer: Answer, tried: Sequence[PricedExample]) -> tuple[str, ...]:
    """The cheapest way alone, and how far the nearest mix is from it."""
    if not answer.ranked:
        return ()
    best = answer.ranked[0]
    alone = f"The cheapest way alone is {best.option.title}: {words.usd(best.present_usd)} in today's money."
    if not tried:
        return (alone, "Nothing here can be divided between two ways.")
    nearest = tried[0]
    said = f"{mix_text(nearest.mix)}: {words.usd(nearest.usd)}"
    return (alone, f"Of {words.count(len(tried), 'mix', 'mixes')} tried, this costs the least: {said}.")


def tried_table(answer: Answer, tried: Sequence[PricedExample]) -> Table:
    """Every way alone and every mix that was tried, the cheapest first."""
    costs = [(way.option.title, way.present_usd) for way in answer.ranked if way.option.way != "mix"]
    costs += [(mix_text(mix.mix), mix.usd) for mix in tried]
    least = min((usd for _, usd in costs), default=0.0)
    return Table.of(
        [
            {"Way": title, COST: usd, MORE: round(usd / least - 1, 2) if least > 0 else None}
            for title, usd in sorted(costs, key=lambda one: one[1])
        ],
        ("Way", COST, MORE),
    )
