"""The best mix as a small mixed-integer programme: how large a base, how many reserved, what goes to the burst.

Capacity is cut into slices from the bottom up, and time into three: base and reservation are both there, only the base
is, only the reservation is. The base is one of a list of sizes, each with a cost of its own, so that whole servers,
spares, networks and discounts for volume are what they are. It takes the lowest slices while it is there. The
reservation is so many whole machines and takes the slices above it, or the lowest while there is no base; from some
number on all of them may cost less. The rest is paid by the hour, some of it on spot machines as far as there is work
that may stop. Limits are sums of the same kind as the cost, such as what is paid on day one, or in a year.

Here too is the way from the rates of a plan to that programme: the work in slices by month, money counted over months.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.money.setting import PlanContext
from planner.scenario.rent import Peaks
from planner.study.mix.load_duration import Screen
from planner.study.mix.mix_rates import HourlyRates, MixRates, cash_limits, completed_hours_by_size

Array = NDArray[np.float64]

_NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class MixAmounts:
    """What a mix comes to under one count of money: today's money, the cash of day one, the cash of a year. [USD]"""

    base: Array  # for each size of the base: itself, less what its slices need not rent
    machine: float  # one reserved machine
    rest: float  # renting everything
    beside: Array  # for each slice: saved where it is reserved beside the base
    alone: Array  # for each slice: saved where it is reserved while there is no base
    spot: tuple[float, float] = (0.0, 0.0)  # saved by a spot hour while the base is there, and while it is not
    volume: Array = field(default_factory=lambda: np.zeros(0))  # one reserved machine, at each price for a volume


@dataclass(frozen=True)
class MixLimit:
    """A sum that must not be passed, and what it is called."""

    name: str
    most_usd: float
    of: MixAmounts


@dataclass(frozen=True, eq=False)
class MixProgram:
    """The mix to be found, as numbers: slices of work, prices of each layer, limits on money."""

    sizes: Array  # accelerators of the base; each is 0 or the top of a slice
    edges: Array  # accelerators: 0, and the top of each slice
    machine: int  # accelerators of a reserved machine
    most_machines: int
    cost: MixAmounts
    least_fleet: int = 0  # base and reservation together are as many, or none
    limits: tuple[MixLimit, ...] = ()
    # Useful hours by slice: while the base is there and while not; of them those in which a reservation is there too.
    hours: tuple[Array, Array] = (np.zeros(0), np.zeros(0))
    held_hours: tuple[Array, Array] = (np.zeros(0), np.zeros(0))
    spot_hours: tuple[float, float] = (0.0, 0.0)  # at most
    volume_from: tuple[int, ...] = ()  # machines from which on each price for a volume holds, for all of them

    @property
    def widths(self) -> Array:
        """The accelerators in each slice."""
        return np.diff(self.edges)

    @property
    def covered(self) -> Array:
        """1 where a size of the base holds a slice: sizes x slices."""
        return np.asarray(self.edges[None, 1:] <= self.sizes[:, None] + _NEARLY, dtype=np.float64)


@dataclass(frozen=True)
class MixSolution:
    """The best mix of a programme."""

    accelerators: int  # of the base
    machines: int
    usd: float


@dataclass(frozen=True)
class Infeasible:
    """The limit that no mix keeps to, and the least it would have to be."""

    limit: MixLimit
    least_usd: float

    @property
    def reason(self) -> str:
        """Which limit no mix keeps to, by how much, and what would do."""
        short = self.least_usd - self.limit.most_usd
        return (
            f"no mix keeps to {self.limit.most_usd:,.0f} USD {self.limit.name}: the least that does the work is "
            f"{self.least_usd:,.0f}, which is {short:,.0f} more"
        )


def best(programme: MixProgram) -> MixSolution | Infeasible:
    """The cheapest mix within all limits."""
    found = _solved(programme, programme.cost, programme.limits)
    if found is not None:
        return found
    for number, limit in enumerate(programme.limits):  # the first that cannot be kept beside those before it
        if _solved(programme, programme.cost, programme.limits[: number + 1]) is None:
            least = _solved(programme, limit.of, programme.limits[:number])
            assert least is not None
            return Infeasible(limit, least.usd)
    raise AssertionError("without limits there is always the mix of nothing owned and nothing reserved")


def _solved(programme: MixProgram, cost: MixAmounts, limits: tuple[MixLimit, ...]) -> MixSolution | None:
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes longer to load than to solve

    sizes, slices, volumes = len(programme.sizes), len(programme.edges) - 1, len(programme.volume_from)
    rows, most = _rows(programme)
    kept = [(_row(limit.of), limit.most_usd - limit.of.rest) for limit in limits]
    matrix = np.vstack([*rows, *(row for row, _ in kept)])
    upper = np.array([*most, *(bound for _, bound in kept)])
    lower = np.full(len(upper), -np.inf)
    lower[0] = upper[0]  # one size is chosen
    highest = np.array(
        [*[1.0] * sizes, programme.most_machines, 1.0, *[1.0] * (2 * slices), *programme.spot_hours,
         *[programme.most_machines] * volumes, *[1.0] * volumes]
    )  # fmt: skip
    whole = np.concatenate([np.ones(sizes + 2), np.zeros(2 * slices + 2), np.ones(2 * volumes)])
    scale = max(float(np.max(np.abs(cost.base))), abs(cost.rest), 1.0)
    found = milp(
        _row(cost) / scale,
        constraints=LinearConstraint(matrix, lower, upper),
        bounds=Bounds(np.zeros(len(highest)), highest),
        integrality=whole,
        options={"mip_rel_gap": 1e-9},
    )
    if found.x is None:
        return None
    return MixSolution(
        accelerators=int(programme.sizes[int(np.argmax(found.x[:sizes]))]),
        machines=round(found.x[sizes] + found.x[len(found.x) - 2 * volumes : len(found.x) - volumes].sum()),
        usd=float(_row(cost) @ found.x) + cost.rest,
    )


def _row(of: MixAmounts) -> Array:
    """A sum as coefficients: size, machines, any at all, slices beside the base, slices alone, spot hours of both.

    Then machines at each price for a volume, and whether it is that price. What is saved counts against what renting
    everything comes to.
    """
    volume = (of.volume, np.zeros(len(of.volume)))
    return np.concatenate([of.base, [of.machine, 0.0], -of.beside, -of.alone, -np.asarray(of.spot), *volume])


def _rows(programme: MixProgram) -> tuple[list[Array], list[float]]:
    """The conditions of the programme: the matrix row by row, and the most each row may come to."""
    slices = len(programme.edges) - 1
    one, none, nothing = np.eye(slices), np.zeros((slices, slices)), np.zeros(slices)
    covered, machine = programme.covered, float(programme.machine)
    no_size, largest = np.zeros(len(programme.sizes)), float(programme.sizes[-1]) + programme.most_machines * machine
    volumes = len(programme.volume_from)

    def row(*parts: Array | list[float]) -> Array:
        """A machine counts as much whatever its price."""
        found = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
        return np.concatenate([found, np.full(volumes, found[len(no_size)]), np.zeros(volumes)])

    left = [float(hours.sum()) for hours in programme.hours]
    held_once = np.hstack([covered.T, np.zeros((slices, 2)), one, none, np.zeros((slices, 2 + 2 * volumes))])
    must: list[tuple[Array, float]] = [
        (row(no_size + 1.0, [0.0, 0.0], nothing, nothing, [0.0, 0.0]), 1.0),  # one size: the first row is an equality
        *((held, 1.0) for held in held_once),
        (row(no_size, [-machine, 0.0], programme.widths, nothing, [0.0, 0.0]), 0.0),  # no more than is reserved
        (row(no_size, [-machine, 0.0], nothing, programme.widths, [0.0, 0.0]), 0.0),
        # on spot goes what is left
        (row(covered @ programme.hours[0], [0.0, 0.0], programme.held_hours[0], nothing, [1.0, 0.0]), left[0]),
        (row(no_size, [0.0, 0.0], nothing, programme.held_hours[1], [0.0, 1.0]), left[1]),
        # a fleet, where there is any, is as large as it must be
        (row(programme.sizes, [machine, -largest], nothing, nothing, [0.0, 0.0]), 0.0),
        (row(-programme.sizes, [-machine, programme.least_fleet], nothing, nothing, [0.0, 0.0]), 0.0),
        *_volume_constraints(programme, len(no_size), len(held_once[0])),
    ]
    return [one for one, _ in must], [most for _, most in must]


def _volume_constraints(programme: MixProgram, machines: int, columns: int) -> Iterator[tuple[Array, float]]:
    """All machines at one price: the usual one, or one for a volume, of which there are then as many as it asks for."""
    volumes, most = len(programme.volume_from), float(programme.most_machines)
    many, taken = columns - 2 * volumes, columns - volumes  # where the machines of a volume stand, and if it is taken
    if not volumes:
        return
    usual = np.zeros(columns)
    usual[machines], usual[taken:] = 1.0, most
    yield usual, most  # none at the usual price, or no volume; and one volume at most
    for place, least in enumerate(programme.volume_from):
        for sign, bound in ((1.0, most), (-1.0, float(least))):
            row = np.zeros(columns)
            row[many + place], row[taken + place] = sign, -sign * bound
            yield row, 0.0


_SLICES = 96  # where there is no base whose sizes would cut them
_WHOLE = 1e-9


def build_program(setting: PlanContext, rates: MixRates, burst: Peaks, *, least_fleet: int = 0) -> MixProgram:
    """The programme of one kind of burst, from the rates of the plan."""
    sliced = _slice_work(setting, rates)
    rest = rates.bursts["on_demand" if burst == "spot" else burst]
    spot = rates.bursts["spot"] if burst == "spot" else None
    counts = _MixAccounting(rates, sliced, rest, spot)
    limits = [MixLimit(name, most, counts.sum(months)) for name, months, most in cash_limits(setting)]
    spots = (0.0, 0.0)
    if spot is not None and spot.most_hours is not None:
        first = sliced.owned[0]
        spots = (float((spot.most_hours * first).sum()), float((spot.most_hours * (1.0 - first)).sum()))
    machine = rates.held.machine if rates.held else 1
    return MixProgram(
        sizes=sliced.sizes,
        edges=sliced.edges,
        machine=machine,
        most_machines=int(-(-sliced.edges[-1] // machine)) if rates.held else 0,
        cost=counts.sum(rates.worth_today),
        least_fleet=least_fleet,
        limits=tuple(limits),
        hours=(sliced.of(sliced.owned), sliced.of(sliced.unowned)),
        held_hours=(sliced.of(sliced.owned * sliced.held), sliced.of(sliced.unowned * sliced.held)),
        spot_hours=spots,
        volume_from=rates.held.volume_from if rates.held else (),
    )


@dataclass(frozen=True, eq=False)
class _WorkSlices:
    """The work by slice and month, and what is there in each month."""

    sizes: Array
    edges: Array
    hours: Array  # slices x months
    owned: Array  # slices x months, or one row for all: share of each month
    held: Array

    @property
    def unowned(self) -> Array:
        return np.asarray(1.0 - self.owned)

    @property
    def months(self) -> int:
        return int(self.hours.shape[-1])

    def of(self, weights: Array) -> Array:
        """The hours of each slice, weighed by month."""
        return np.asarray((self.hours * weights).sum(axis=-1))


def _slice_work(setting: PlanContext, rates: MixRates) -> _WorkSlices:
    runs, demand = setting.timeline.runs, setting.demand
    sizes = rates.base.sizes if rates.base else np.zeros(1)
    edges = rates.base.sizes if rates.base and len(sizes) > 2 else _even_edges(demand.all.peak_accelerators)
    edges = np.unique(np.append(edges, sizes))
    done = np.broadcast_to(completed_hours_by_size(setting, edges), (len(edges), len(runs))) * runs
    running = np.where(runs > 0, runs, 1.0)
    nothing = np.zeros(len(runs))
    return _WorkSlices(
        sizes=sizes,
        edges=edges,
        hours=np.diff(done, axis=0),
        owned=rates.base.there / running if rates.base else nothing[None, :],
        held=rates.held.there / running if rates.held else nothing,
    )


def _even_edges(most: int) -> Array:
    return np.unique(np.ceil(np.linspace(0.0, most, min(most, _SLICES) + 1) - _WHOLE))


@dataclass(frozen=True, eq=False)
class _MixAccounting:
    """Counts a kind of money: today's, or the cash of some months."""

    rates: MixRates
    sliced: _WorkSlices
    rest: HourlyRates
    spot: HourlyRates | None

    def sum(self, weights: Array) -> MixAmounts:
        """What the parts of a mix come to, a dollar of each month counting so much."""
        rates, sliced, rent = self.rates, self.sliced, self.rest.usd_per_hour
        weights = np.asarray(weights, dtype=np.float64)
        base, saved = np.zeros(len(sliced.sizes)), np.zeros(len(sliced.edges) - 1)
        if rates.base is not None:
            base = rates.base.idle_usd @ weights
            saved = sliced.of(sliced.owned * (rent - rates.base.usd_per_busy_hour) * weights)
        covered = sliced.edges[None, 1:] <= sliced.sizes[:, None] + _WHOLE
        held = sliced.held * (rent - rates.held.usd_per_hour) * weights if rates.held else np.zeros(sliced.months)
        return MixAmounts(
            base=base - covered @ saved,
            machine=float(rates.held.usd @ weights) if rates.held else 0.0,
            rest=float(sliced.of(rent * weights).sum()),
            beside=sliced.of(sliced.owned * held),
            alone=sliced.of(sliced.unowned * held),
            spot=(self._spot(sliced.owned[0], weights), self._spot(1.0 - sliced.owned[0], weights)),
            volume=rates.held.volume_usd @ weights if rates.held and rates.held.volume_from else np.zeros(0),
        )

    def _spot(self, when: Array, weights: Array) -> float:
        """What an hour on spot machines saves, on average over the hours that may stop."""
        if self.spot is None or self.spot.most_hours is None:
            return 0.0
        hours = self.spot.most_hours * when
        saved = float(((self.rest.usd_per_hour - self.spot.usd_per_hour) * hours * weights).sum())
        return saved / float(hours.sum()) if hours.sum() > 0 else 0.0


def screening_lines(rates: MixRates, setting: PlanContext) -> tuple[Screen, ...]:
    """What an hour of capacity costs each way, levelised: cost and hours both in today's money."""
    worth, runs = rates.worth_today, setting.timeline.runs
    capacity = setting.demand.plain.hours_per_month
    found = []
    if rates.base is not None and len(rates.base.sizes) > 1:
        base, there = rates.base, rates.base.mean_in_service
        hours = float((there * worth).sum()) * capacity
        if hours > 0:
            idle = float(base.idle_usd[-1] @ worth) / (float(base.sizes[-1]) * hours)
            busy = float((base.usd_per_busy_hour * there * worth).sum()) * capacity / hours
            found.append(Screen("own", idle, busy))
    if rates.held is not None:
        held, hours = rates.held, float((rates.held.there * worth).sum()) * capacity
        found.append(
            Screen("reserved", float(held.usd @ worth) / (held.machine * hours), _mean(held.usd_per_hour, worth * runs))
        )
    for name, hourly in rates.bursts.items():
        found.append(Screen(name, 0.0, _mean(hourly.usd_per_hour, worth * runs)))
    return tuple(found)


def _mean(usd_per_hour: Array, weights: Array) -> float:
    weights = weights * (usd_per_hour > 0)
    return float((usd_per_hour * weights).sum() / weights.sum()) if weights.sum() > 0 else 0.0
