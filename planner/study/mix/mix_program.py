"""The best mix as a small mixed-integer program: the size of the base, the reservation, and the rest as burst.

Capacity is cut into slices from the bottom up, and time into three: base and reservation both in service, only the
base, only the reservation. The base is one of a list of sizes, each with its own cost, so that whole servers, spares,
networks and volume discounts are exact. It takes the lowest slices while in service. The reservation is a number of
whole machines and takes the slices above, or the lowest while there is no base; above some number all of them may cost
less. The rest is paid by the hour, part of it on spot machines as far as work may stop. Limits are sums of the same
kind as the cost, such as the cash of day one or of a year.

Here too the rates of a plan become that program: work in slices by month, money summed over months.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.money.setting import PlanContext
from planner.scenario.rent import Peaks
from planner.study.mix.load_duration import NEARLY, Array, Screen
from planner.study.mix.mix_rates import HourlyRates, MixRates, cash_limits, completed_hours_by_size

_SLICES = 96  # where there is no base whose sizes would cut them
_MOST_PAIRS = 200_000  # of a size and a number of machines that are compared


@dataclass(frozen=True, eq=False)
class MixAmounts:
    """The cost of a mix's parts under one weighting of months: present value, cash of day one, cash of a year. [USD]"""

    base: Array  # for each size of the base: its cost less the rent of its slices
    machine: float  # one reserved machine
    rent_all: float  # renting everything
    with_base: Array  # for each slice: saved by reserving it in addition to the base
    without_base: Array  # for each slice: saved by reserving it while there is no base
    spot: tuple[float, float] = (0.0, 0.0)  # saved by a spot hour while the base is in service, and while it is not
    volume: Array = field(default_factory=lambda: np.zeros(0))  # one reserved machine, at each volume price


@dataclass(frozen=True)
class MixLimit:
    """A named limit on a sum."""

    name: str
    most_usd: float
    amounts: MixAmounts


@dataclass(frozen=True, eq=False)
class MixProgram:
    """The program as numbers: slices of work, prices of each layer, limits on money."""

    sizes: Array  # accelerators of the base; each is 0 or the top of a slice
    edges: Array  # accelerators: 0, and the top of each slice
    machine: int  # accelerators of a reserved machine
    most_machines: int
    cost: MixAmounts
    least_fleet: int = 0  # base and reservation together are as many, or none
    limits: tuple[MixLimit, ...] = ()
    # Useful hours by slice: while the base is in service and while not; of them those with a reservation too.
    hours: tuple[Array, Array] = (np.zeros(0), np.zeros(0))
    held_hours: tuple[Array, Array] = (np.zeros(0), np.zeros(0))
    spot_hours: tuple[float, float] = (0.0, 0.0)  # at most
    volume_from: tuple[int, ...] = ()  # machines from which on each volume price holds, for all of them

    @property
    def widths(self) -> Array:
        """The accelerators in each slice."""
        return np.diff(self.edges)

    @property
    def covered(self) -> Array:
        """1 where a size of the base includes a slice: sizes x slices."""
        return np.asarray(self.edges[None, 1:] <= self.sizes[:, None] + NEARLY, dtype=np.float64)


@dataclass(frozen=True)
class MixSolution:
    """The best mix of a program."""

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
        """The limit, the least that would do, and the difference."""
        short = self.least_usd - self.limit.most_usd
        return (
            f"no mix keeps to {self.limit.most_usd:,.0f} USD {self.limit.name}: the least that does the work is "
            f"{self.least_usd:,.0f}, which is {short:,.0f} more"
        )


def best(program: MixProgram) -> MixSolution | Infeasible:
    """Return the cheapest mix within all limits."""
    solution = _best_unlimited(program) or _solve(program, program.cost, program.limits)
    if solution is not None:
        return solution
    for number, limit in enumerate(program.limits):  # the first that cannot be kept beside those before it
        if _solve(program, program.cost, program.limits[: number + 1]) is None:
            least = _solve(program, limit.amounts, program.limits[:number])
            assert least is not None
            return Infeasible(limit, least.usd)
    raise AssertionError("without limits there is always the mix of nothing owned and nothing reserved")


def _best_unlimited(program: MixProgram) -> MixSolution | None:
    """Return the cheapest mix of all sizes and numbers of machines, where nothing couples slices; None elsewhere.

    With size and machines given, the slices with the largest savings for their width are reserved first. Limits and
    spot hours stand for other sums of the same slices, so those need the solver, which takes longer to start.
    """
    machines = np.arange(program.most_machines + 1)
    if program.limits or any(program.spot_hours) or len(program.sizes) * len(machines) > _MOST_PAIRS:
        return None
    capacity, cost = np.asarray(machines * float(program.machine), dtype=np.float64), program.cost
    prices = np.where(machines < np.reshape((0, *program.volume_from), (-1, 1)), np.inf, machines * np.reshape(
        (cost.machine, *cost.volume), (-1, 1)))  # fmt: skip
    usd = prices.min(axis=0) - _saved_usd(program.widths, cost.without_base, capacity)
    usd = cost.base[:, None] + usd - [
        _saved_usd(program.widths, np.where(covered, 0.0, cost.with_base), capacity) for covered in program.covered
    ]  # fmt: skip
    fleets = program.sizes[:, None] + capacity
    usd = np.where((fleets > 0) & (fleets < program.least_fleet), np.inf, usd)
    size, count = np.unravel_index(np.argmin(usd), usd.shape)
    return MixSolution(int(program.sizes[size]), int(count), float(usd[size, count]) + cost.rent_all)


def _saved_usd(widths: Array, savings: Array, capacity: Array) -> Array:
    order = np.argsort(-savings / widths, kind="stable")
    gains, ends = np.maximum(savings[order], 0.0), np.concatenate([[0.0], np.cumsum(widths[order])])
    return np.asarray(np.interp(capacity, ends, np.concatenate([[0.0], np.cumsum(gains)])))


def _solve(program: MixProgram, cost: MixAmounts, limits: tuple[MixLimit, ...]) -> MixSolution | None:
    from scipy.optimize import Bounds, LinearConstraint, milp  # takes longer to load than to solve

    sizes, slices, volumes = len(program.sizes), len(program.edges) - 1, len(program.volume_from)
    constraints = [
        *_constraints(program),
        *((_coefficients(limit.amounts), limit.most_usd - limit.amounts.rent_all) for limit in limits),
    ]
    upper = np.array([bound for _, bound in constraints])
    lower = np.full(len(upper), -np.inf)
    lower[0] = upper[0]  # one size is chosen
    highest = np.array(
        [*[1.0] * sizes, program.most_machines, 1.0, *[1.0] * (2 * slices), *program.spot_hours,
         *[program.most_machines] * volumes, *[1.0] * volumes]
    )  # fmt: skip
    objective = _coefficients(cost)
    result = milp(
        objective / max(float(np.max(np.abs(cost.base))), abs(cost.rent_all), 1.0),
        constraints=LinearConstraint(np.vstack([row for row, _ in constraints]), lower, upper),
        bounds=Bounds(np.zeros(len(highest)), highest),
        integrality=np.concatenate([np.ones(sizes + 2), np.zeros(2 * slices + 2), np.ones(2 * volumes)]),
        options={"mip_rel_gap": 1e-9},
    )
    if result.x is None:
        return None
    at_volume = result.x[len(result.x) - 2 * volumes : len(result.x) - volumes].sum()
    return MixSolution(
        accelerators=int(program.sizes[int(np.argmax(result.x[:sizes]))]),
        machines=round(result.x[sizes] + at_volume),
        usd=float(objective @ result.x) + cost.rent_all,
    )


def _coefficients(amounts: MixAmounts) -> Array:
    """Return a sum as coefficients: size, machines, any at all, slices with and without base, spot hours of both.

    Then machines at each volume price, and whether that price is used. Savings count against the cost of renting
    everything.
    """
    savings = (-amounts.with_base, -amounts.without_base, -np.asarray(amounts.spot))
    return np.concatenate(
        [amounts.base, [amounts.machine, 0.0], *savings, amounts.volume, np.zeros(len(amounts.volume))]
    )


def _constraints(program: MixProgram) -> list[tuple[Array, float]]:
    """Return the conditions of the program: each row of the matrix with its upper bound."""
    slices, volumes = len(program.edges) - 1, len(program.volume_from)
    unit, none, nothing = np.eye(slices), np.zeros((slices, slices)), np.zeros(slices)
    covered, machine = program.covered, float(program.machine)
    no_size, largest = np.zeros(len(program.sizes)), float(program.sizes[-1]) + program.most_machines * machine

    def row(*parts: Array | list[float]) -> Array:
        """A machine counts as much whatever its price."""
        values = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
        return np.concatenate([values, np.full(volumes, values[len(no_size)]), np.zeros(volumes)])

    left = [float(hours.sum()) for hours in program.hours]
    reserved_once = np.hstack([covered.T, np.zeros((slices, 2)), unit, none, np.zeros((slices, 2 + 2 * volumes))])
    return [
        (row(no_size + 1.0, [0.0, 0.0], nothing, nothing, [0.0, 0.0]), 1.0),  # one size: the first row is an equality
        *((reserved, 1.0) for reserved in reserved_once),
        (row(no_size, [-machine, 0.0], program.widths, nothing, [0.0, 0.0]), 0.0),  # no more than is reserved
        (row(no_size, [-machine, 0.0], nothing, program.widths, [0.0, 0.0]), 0.0),
        # spot takes only what is left
        (row(covered @ program.hours[0], [0.0, 0.0], program.held_hours[0], nothing, [1.0, 0.0]), left[0]),
        (row(no_size, [0.0, 0.0], nothing, program.held_hours[1], [0.0, 1.0]), left[1]),
        # a fleet, if there is any, is as large as it must be
        (row(program.sizes, [machine, -largest], nothing, nothing, [0.0, 0.0]), 0.0),
        (row(-program.sizes, [-machine, program.least_fleet], nothing, nothing, [0.0, 0.0]), 0.0),
        *_volume_constraints(program, len(no_size), len(reserved_once[0])),
    ]


def _volume_constraints(program: MixProgram, machines: int, columns: int) -> Iterator[tuple[Array, float]]:
    """Price all machines alike: at the usual price, or at a volume price with as many machines as it asks for."""
    volumes, most = len(program.volume_from), float(program.most_machines)
    counts, chosen = columns - 2 * volumes, columns - volumes  # columns of a volume's machines, and of its choice
    if not volumes:
        return
    usual = np.zeros(columns)
    usual[machines], usual[chosen:] = 1.0, most
    yield usual, most  # none at the usual price, or no volume; and one volume at most
    for index, least in enumerate(program.volume_from):
        for sign, bound in ((1.0, most), (-1.0, float(least))):
            row = np.zeros(columns)
            row[counts + index], row[chosen + index] = sign, -sign * bound
            yield row, 0.0


def build_program(setting: PlanContext, rates: MixRates, burst: Peaks, *, least_fleet: int = 0) -> MixProgram:
    """Return the program of one kind of burst, from the rates of the plan."""
    sliced, reserved = _slice_work(setting, rates), rates.reserved
    accounting = _MixAccounting(
        rates, sliced, rates.bursts["on_demand" if burst == "spot" else burst],
        rates.bursts["spot"] if burst == "spot" else None,
    )  # fmt: skip
    machine = reserved.machine if reserved else 1
    return MixProgram(
        sizes=sliced.sizes,
        edges=sliced.edges,
        machine=machine,
        most_machines=int(-(-sliced.edges[-1] // machine)) if reserved else 0,
        cost=accounting.amounts(rates.worth_today),
        least_fleet=least_fleet,
        limits=tuple(MixLimit(name, most, accounting.amounts(months)) for name, months, most in cash_limits(setting)),
        hours=(sliced.weighted_hours(sliced.owned), sliced.weighted_hours(sliced.unowned)),
        held_hours=(
            sliced.weighted_hours(sliced.owned * sliced.reserved),
            sliced.weighted_hours(sliced.unowned * sliced.reserved),
        ),
        spot_hours=accounting.spot_hours,
        volume_from=reserved.volume_from if reserved else (),
    )


@dataclass(frozen=True, eq=False)
class _WorkSlices:
    """The work by slice and month, and the share of each month that base and reservation are in service."""

    sizes: Array
    edges: Array
    hours: Array  # slices x months
    owned: Array  # slices x months, or one row for all: share of each month
    reserved: Array

    @property
    def unowned(self) -> Array:
        return np.asarray(1.0 - self.owned)

    def weighted_hours(self, weights: Array) -> Array:
        """Return the hours of each slice, weighted by month."""
        return np.asarray((self.hours * weights).sum(axis=-1))


def _slice_work(setting: PlanContext, rates: MixRates) -> _WorkSlices:
    runs, base = setting.timeline.runs, rates.base
    sizes = base.sizes if base else np.zeros(1)
    peak = setting.demand.all.peak_accelerators
    even = np.ceil(np.linspace(0.0, peak, min(peak, _SLICES) + 1) - NEARLY)
    edges = np.unique(np.append(sizes if len(sizes) > 2 else even, sizes))
    done = np.broadcast_to(completed_hours_by_size(setting, edges), (len(edges), len(runs))) * runs
    running, nothing = np.where(runs > 0, runs, 1.0), np.zeros(len(runs))
    owned = base.in_service / running if base else nothing[None, :]
    reserved = rates.reserved.bound_share / running if rates.reserved else nothing
    return _WorkSlices(sizes, edges, np.diff(done, axis=0), owned, reserved)


@dataclass(frozen=True, eq=False)
class _MixAccounting:
    """Sums money over months: present value, or the cash of some months."""

    rates: MixRates
    sliced: _WorkSlices
    burst: HourlyRates
    spot: HourlyRates | None

    @property
    def spot_hours(self) -> tuple[float, float]:
        """The most hours on spot machines while the base is in service, and while it is not."""
        if self.spot is None or self.spot.most_hours is None:
            return 0.0, 0.0
        owned = self.sliced.owned[0]
        return float((self.spot.most_hours * owned).sum()), float((self.spot.most_hours * (1.0 - owned)).sum())

    def amounts(self, weights: Array) -> MixAmounts:
        """Return the cost of the parts of a mix, weighting a dollar of each month."""
        base, reserved, sliced, rent = self.rates.base, self.rates.reserved, self.sliced, self.burst.usd_per_hour
        weights = np.asarray(weights, dtype=np.float64)
        idle, saved = np.zeros(len(sliced.sizes)), np.zeros(len(sliced.edges) - 1)
        if base is not None:
            idle = base.idle_usd @ weights
            saved = sliced.weighted_hours(sliced.owned * (rent - base.usd_per_busy_hour) * weights)
        covered = sliced.edges[None, 1:] <= sliced.sizes[:, None] + NEARLY
        per_hour = np.zeros(sliced.hours.shape[-1])
        if reserved:
            per_hour = sliced.reserved * (rent - reserved.usd_per_hour) * weights
        return MixAmounts(
            base=idle - covered @ saved,
            machine=float(reserved.usd @ weights) if reserved else 0.0,
            rent_all=float(sliced.weighted_hours(rent * weights).sum()),
            with_base=sliced.weighted_hours(sliced.owned * per_hour),
            without_base=sliced.weighted_hours(sliced.unowned * per_hour),
            spot=(self._spot(sliced.owned[0], weights), self._spot(1.0 - sliced.owned[0], weights)),
            volume=reserved.volume_usd @ weights if reserved and reserved.volume_from else np.zeros(0),
        )

    def _spot(self, when: Array, weights: Array) -> float:
        """Return the savings of an hour on spot machines, on average over the hours that may stop."""
        if self.spot is None or self.spot.most_hours is None:
            return 0.0
        hours = self.spot.most_hours * when
        saved = float(((self.burst.usd_per_hour - self.spot.usd_per_hour) * hours * weights).sum())
        return saved / float(hours.sum()) if hours.sum() > 0 else 0.0


def screening_lines(rates: MixRates, setting: PlanContext) -> tuple[Screen, ...]:
    """Return the levelized cost of an hour of capacity by option: cost and hours both discounted."""
    worth, runs = rates.worth_today, setting.timeline.runs
    capacity, lines = setting.demand.plain.hours_per_month, []
    if (base := rates.base) is not None and len(base.sizes) > 1:
        in_service = base.mean_in_service
        hours = float((in_service * worth).sum()) * capacity
        if hours > 0:
            idle = float(base.idle_usd[-1] @ worth) / (float(base.sizes[-1]) * hours)
            busy = float((base.usd_per_busy_hour * in_service * worth).sum()) * capacity / hours
            lines.append(Screen("own", idle, busy))
    if (reserved := rates.reserved) is not None:
        hours = float((reserved.bound_share * worth).sum()) * capacity
        idle = float(reserved.usd @ worth) / (reserved.machine * hours)
        lines.append(Screen("reserved", idle, _mean(reserved.usd_per_hour, worth * runs)))
    lines += [Screen(name, 0.0, _mean(hourly.usd_per_hour, worth * runs)) for name, hourly in rates.bursts.items()]
    return tuple(lines)


def _mean(usd_per_hour: Array, weights: Array) -> float:
    weights = weights * (usd_per_hour > 0)
    return float((usd_per_hour * weights).sum() / weights.sum()) if weights.sum() > 0 else 0.0
