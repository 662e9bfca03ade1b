"""The estimated price of an accelerator without a published price, from the prices of others of its kind.

A line through the logarithms: the price of all accelerators that have one, over their rate, memory, bandwidth and year,
what kind of chip it is and whether its maker is the one that sells most kinds. Prices far off the line (old chips sold
used) count little. The range is what eight of ten known prices lie in when each is estimates from the others.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.scenario.amounts import count
from pricing import Catalogue, Figure
from pricing.caching import cached
from pricing.query import trust
from pricing.records import Accelerator

_FEWEST = 12  # known prices, below which no line is drawn
_ENDS = (0.1, 0.9)
_PULL = 3.0  # of the slopes towards zero: some of what tells chips apart goes together
_ROUNDS = 40
_NEAR, _FAR = 1.345, 4.685  # usual deviations: from where a price counts less (Huber), and not at all (Tukey)
_FULL_RATE = 2.9  # times the 32-bit rate, from where the 16-bit units are those of a chip for data centres
_DIGITS = 2


class _ChipTraits(NamedTuple):
    """The traits of a chip that explain its price."""

    rate_tflops: float
    memory_gb: float
    bandwidth_gb_s: float
    year: float | None  # in which it came out, where somebody says so
    is_stacked: bool  # its memory
    is_full_rate: bool
    vendor: str


class PricedChip(NamedTuple):
    """One accelerator with a published price."""

    accelerator: str
    chip: _ChipTraits
    usd: float


@dataclass(frozen=True)
class EstimatedPrice:
    """The estimated price, and the number of prices that it follows from."""

    low: float
    typical: float
    high: float
    others: int

    @property
    def note(self) -> str:
        return (
            f"its price is not published: {self.low:,.0f} to {self.high:,.0f} USD follow from what "
            f"{count(self.others, 'other asks', 'others ask')}, by 16-bit rate, memory, bandwidth, year and kind"
        )


def _facts(catalogue: Catalogue, *_: object) -> tuple[object, ...]:
    return catalogue.accelerators, catalogue.sources


@cached(512, same=_facts, equal=lambda _, accelerator: accelerator)
def estimated_price(catalogue: Catalogue, accelerator: str) -> EstimatedPrice | None:
    """Return what it would cost; None where nobody sells it, or too little is known of it or of the others."""
    record = catalogue.accelerators.get(accelerator)
    chip = None if record is None or record.rent_only else _chip_traits(record)
    others = tuple(price for price in known_prices(catalogue) if price.accelerator != accelerator)
    if chip is None or len(others) < _FEWEST:
        return None
    line = _fit_regression(others)
    times = np.quantile(leave_one_out_errors(others), _ENDS)
    low, usd, high = (_rounded(line.usd(chip) * end) for end in (min(times[0], 1.0), 1.0, max(times[1], 1.0)))
    return EstimatedPrice(low, usd, high, len(others))


@cached(4, same=_facts)
def known_prices(catalogue: Catalogue) -> tuple[PricedChip, ...]:
    """The accelerators whose price somebody publishes, and of which enough is known; a quote of yours is no list."""
    chips = []
    for key, record in sorted(catalogue.accelerators.items()):
        chip, price = _chip_traits(record), record.price_usd
        if chip is not None and price is not None and trust(catalogue, price.newest) != "yours":
            chips.append(PricedChip(key, chip, price.newest.typical))
    return tuple(chips)


@cached(8)
def leave_one_out_errors(known: tuple[PricedChip, ...]) -> tuple[float, ...]:
    """Each known price as a multiple of the estimate that all the other known prices give for it."""
    estimates = (
        _fit_regression((*known[:place], *known[place + 1 :])).usd(chip.chip) for place, chip in enumerate(known)
    )
    return tuple(price.usd / usd for price, usd in zip(known, estimates, strict=True))


def _chip_traits(record: Accelerator) -> _ChipTraits | None:
    """Return what is known of it; None where its rate, memory or bandwidth is not."""
    figures = (record.fp32_tflops, record.memory_gb, record.memory_bandwidth_gb_s)
    single, memory, bandwidth = (_typical(figure) for figure in figures)
    rate = _typical(record.bf16_dense_tflops) or _typical(record.fp16_dense_tflops) or (single and 2 * single)
    if not (rate and memory and bandwidth):
        return None
    stacked = (record.memory_type or "").startswith("HBM")
    full = stacked or (single is not None and rate >= _FULL_RATE * single)
    return _ChipTraits(rate, memory, bandwidth, record.launch_year, stacked, full, record.vendor)


def _typical(figure: Figure | None) -> float | None:
    return None if figure is None else figure.newest.typical


@dataclass(frozen=True, eq=False)
class _PriceRegression:
    """The line through some known prices."""

    slopes: NDArray[np.float64]
    middle: NDArray[np.float64]
    spread: NDArray[np.float64]
    year: float  # taken where none is said
    vendor: str

    def usd(self, chip: _ChipTraits) -> float:
        columns = (_design_row(chip, self.year, self.vendor) - self.middle) / self.spread
        return float(np.exp(self.slopes[0] + columns @ self.slopes[1:]))


def _design_row(chip: _ChipTraits, year: float, vendor: str) -> NDArray[np.float64]:
    came_out = year if chip.year is None else chip.year
    sizes = np.log([chip.rate_tflops, chip.memory_gb, chip.bandwidth_gb_s])
    return np.array([*sizes, came_out, chip.is_stacked, chip.is_full_rate, chip.vendor == vendor], dtype=np.float64)


@cached(256)
def _fit_regression(known: tuple[PricedChip, ...]) -> _PriceRegression:
    vendors = [chip.chip.vendor for chip in known]
    vendor = max(sorted(set(vendors)), key=vendors.count)
    years = [chip.chip.year for chip in known if chip.chip.year is not None]
    year = float(np.mean(years)) if years else 0.0
    rows = np.array([_design_row(chip.chip, year, vendor) for chip in known])
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    table = np.column_stack([np.ones(len(known)), (rows - middle) / spread])
    return _PriceRegression(
        _robust_least_squares(table, np.log([chip.usd for chip in known])), middle, spread, year, vendor
    )


def _robust_least_squares(table: NDArray[np.float64], logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares in which what lies far off counts less, and in the end not at all."""
    pull = np.eye(table.shape[1]) * _PULL
    pull[0, 0] = 0.0
    weights, slopes = np.ones_like(logs), np.zeros_like(pull[0])
    for turn in range(_ROUNDS):
        square = np.asarray(table.T @ (weights[:, None] * table) + pull)
        slopes = np.asarray(np.linalg.solve(square, table.T @ (weights * logs)))
        away = np.abs(logs - table @ slopes)
        usual = max(1.4826 * float(np.median(away)), 1e-3)
        if turn < _ROUNDS // 2:
            weights = np.asarray(1 / np.maximum(away / (_NEAR * usual), 1.0))
        else:
            weights = np.asarray(np.clip(1 - (away / (_FAR * usual)) ** 2, 0.0, None) ** 2)
    return np.asarray(slopes, dtype=np.float64)


def _rounded(usd: float) -> float:
    return round(usd, _DIGITS - 1 - int(np.floor(np.log10(usd))))
