"""Results of `serve`."""

from __future__ import annotations

from dataclasses import dataclass

from planner.speed.bands import Band


@dataclass(frozen=True)
class MemoryParts:
    """Memory of one replica, in GB (1e9 bytes), over all of its accelerators."""

    weights_gb: float
    adapters_gb: float
    working_gb: float
    cache_gb: float
    unused_gb: float
    device_gb: float  # what the devices really have
    cache_gb_per_request: float


@dataclass(frozen=True)
class ServingFitSuggestion:
    """One thing to change so that it fits, and what it needs then."""

    change: str
    accelerators_per_replica: int
    accelerator: str


@dataclass(frozen=True)
class LatencyPercentiles:
    """Milliseconds: the mean, and percentiles over requests."""

    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float

    def at_pace(self, faster: float) -> LatencyPercentiles:
        """This result if everything ran so many times as fast."""
        return LatencyPercentiles(
            self.mean_ms / faster, self.p50_ms / faster, self.p95_ms / faster, self.p99_ms / faster
        )


@dataclass(frozen=True)
class TimeShare:
    name: str
    share: float


@dataclass(frozen=True)
class ServingResult:
    """The result of a serving job. Where it does not fit, `reason` says why and `ways_to_fit` what would help."""

    fits: bool
    reason: str | None
    ways_to_fit: tuple[ServingFitSuggestion, ...]
    model: str
    accelerator: str
    weight_precision: str
    accelerators_per_replica: int
    replicas: int
    memory: MemoryParts
    most_requests_per_replica: float
    batch_per_replica: float
    output_tokens_per_s: float
    output_tokens_per_s_low: float
    output_tokens_per_s_high: float
    requests_per_s: float
    requests_per_s_within_promise: float
    ttft: LatencyPercentiles | None
    tpot: LatencyPercentiles | None
    accelerators_at_average: int | None
    accelerators_at_peak: int | None
    cold_start_s: float
    output_tokens_per_accelerator_hour: float
    joules_per_output_token: float | None
    time_shares: tuple[TimeShare, ...]
    band: Band | None  # around its rate; None where it does not fit
    warnings: tuple[str, ...]
    idle_replicas: int = 0  # without a request, where fewer are at once than there are replicas
    first_token_band: Band | None = None  # around the time to the first token, as factors on it
    grows_without_end: bool = False  # more requests come than all replicas can answer: the wait has no number

    @property
    def replicas_at_peak(self) -> int:
        """Replicas that the peak needs; one where no rate of requests is known."""
        each = self.accelerators_per_replica
        return max((self.accelerators_at_peak or each) // each, 1)

    @property
    def output_tokens_per_s_at_peak(self) -> float:
        """At full load, of the replicas that the peak needs. [token/s]"""
        return self.output_tokens_per_s / max(self.replicas, 1) * self.replicas_at_peak

    @property
    def requests_at_once(self) -> float:
        """In all replicas together."""
        return self.batch_per_replica * (self.replicas - self.idle_replicas)
