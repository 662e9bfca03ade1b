"""Networks that learn from pictures: published rates, carried over to other accelerators as other work is."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, replace
from difflib import get_close_matches
from math import log2
from statistics import median
from typing import Literal

from pydantic import Field

from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.jobs import ImageJob
from planner.speed.hardware import DATA, InvalidJobError, read_data
from planner.speed.serving.chips import MeasuredRate, NonLlmWork, ServingAccelerator
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.non_llm import NonLlmRate, ScaledRun, scaled_rate
from planner.speed.training.goodput import team_share
from planner.speed.training.result import Interval
from pricing import Catalogue, names
from pricing.caching import cached
from pricing.errors import UnknownNameError
from pricing.figure import StrictModel, Text

# Up to this many times the accelerators of the largest published run its rate is taken as it is.
FAR, MANY_PER_S, _SEEN = 2.0, 5_000.0, 2_000
_PICTURES = ("vision", "image", "video", "vision_text")


class ImageDataset(StrictModel):
    """Pictures that are usually learnt from."""

    label: Text = Field(description="what people call it")
    images: int = Field(ge=1, description="training pictures in it")
    source: Text = Field(description="who says so")


class ImageNetwork(StrictModel):
    """A network with published rates, and how long it is usually trained."""

    label: Text = Field(description="name, version and size of its pictures")
    also: tuple[str, ...] = Field(default=(), description="other names that people type for it")
    dataset: str | None = Field(default=None, description="on what it is usually trained: a key of datasets")
    usual_epochs: float | None = Field(default=None, gt=0, description="how often it usually sees the set")
    usual_images: float | None = Field(default=None, gt=0, description="pictures of a whole run, where no set is named")
    usual: Text = Field(description="whose usual run that is")
    bound: Literal["compute", "bandwidth"] = Field(description="the peak by which a rate is carried over")
    like: str | None = Field(default=None, description="the network whose published rates are taken, as it has none")
    times: float = Field(default=1.0, gt=0, description="operations of its picture, as a multiple of that one's")


class ImageTrainingData(StrictModel):
    """All of them."""

    about: Text = Field(description="what this file holds and where it came from")
    datasets: dict[str, ImageDataset] = Field(description="what networks are trained on")
    models: dict[str, ImageNetwork] = Field(description="networks with published rates")


@dataclass(frozen=True)
class PublishedImageRate:
    """One published rate of all accelerators together."""

    network: str
    accelerator: str
    accelerators: float
    images_per_s: float
    source: str


@dataclass(frozen=True)
class ImageTrainingResult:
    """The training speed of an image network on so many accelerators, and the length of a run."""

    network: str
    label: str
    accelerator: str
    accelerators: int
    images: float
    amount_text: str  # what the number of pictures is
    images_per_s_each: Interval
    measured: bool  # on this very accelerator
    carried_from: str
    source: str
    how: str
    accelerator_hours: Interval
    bound: Literal["compute", "bandwidth"]
    warnings: tuple[str, ...] = ()

    @property
    def hours(self) -> Interval:
        """From start to end. [h]"""
        return Interval(*(each / self.accelerators for each in astuple(self.accelerator_hours)))

    @property
    def run(self) -> ScaledRun:
        """A training on pictures as a run of known hours, which the money room can take."""
        return ScaledRun(
            measured_on=self.carried_from, accelerator=self.accelerator, accelerators=self.accelerators,
            bound=self.bound, measured=self.measured, accelerator_hours=self.accelerator_hours.typical,
            low=self.accelerator_hours.low, high=self.accelerator_hours.high, how=f"{self._rate}, {self.how}",
            label=f"{self.label}, {self.amount_text},",
        )  # fmt: skip

    @property
    def _rate(self) -> str:
        ends = astuple(self.images_per_s_each)
        low, typical, high = (f"{end:,.0f}" if end >= 100 else f"{end:.3g}" for end in ends)
        return f"{typical} images/s on each ({low} to {high})"


@cached(1)
def image_training_data() -> ImageTrainingData:
    return ImageTrainingData.model_validate(read_data("vision_training.yaml"))


@cached(1)
def published_image_rates() -> tuple[PublishedImageRate, ...]:
    with (DATA / "vision_training.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedImageRate(row["model"], row["accelerator"], float(row["n_accelerators"]),
                float(row["images_per_s_total"]), row["source_title"])
            for row in csv.DictReader(file)
        )  # fmt: skip


def match_image_network(called: str) -> str | None:
    """The network of that name, loosely spelled; None where there is none with published rates."""
    plain, networks = names.plain(called), image_training_data().models
    return next((key for key, it in networks.items() if plain in map(names.plain, (key, *it.also))), None)


def is_image_network(called: str) -> bool:
    """Return whether a name means a network whose training is counted in pictures."""
    return match_image_network(called) is not None


def usual_passes(called: str, images: float, *, is_tuned: bool) -> float:
    """Return how often a network usually sees so many pictures: when it is tuned until it has seen 2,000 at least."""
    network = image_training_data().models[match_image_network(called) or ""]
    return max(round(_SEEN / images), 1) if is_tuned else network.usual_epochs or 1.0


def no_rate_message(label: str, modality: str) -> str | None:
    """Return what to say of a network that learns from pictures and has no published rate; None of other networks."""
    if modality not in _PICTURES:
        return None
    if is_image_network(label):
        return f"{label} learns from pictures: its training has neither tokens nor layouts"
    listed = ", ".join(image_training_data().models)
    return f"{label}: no training speed of it is on record; of image networks there are: {listed}"


def image_training(catalogue: Catalogue, job: ImageJob) -> ImageTrainingResult:
    """Return how fast that network learns on so many accelerators. Raises `UnknownNameError` and `InvalidJobError`."""
    name = _find_network(job.model)
    network = image_training_data().models[name]
    key = names.accelerator(catalogue, job.accelerator)
    amount, amount_text = _amount(network, job.images, job.epochs)
    runs = tuple(replace(run, images_per_s=run.images_per_s / network.times)
                 for run in published_image_rates() if run.network == (network.like or name))  # fmt: skip
    rate = _rate(catalogue, network, runs, find_chip(catalogue, key), job.accelerators)
    share = team_share(job.team)
    ends = ((rate.high, share.high), (rate.requests_per_s, share.typical), (rate.low, share.low))
    hours = Interval(*(amount / per_s / reached / SECONDS_PER_HOUR for per_s, reached in ends))
    nearest = _nearest_count(runs, rate.carried_from, job.accelerators)
    return ImageTrainingResult(
        network=name, label=network.label, accelerator=key, accelerators=job.accelerators, images=amount,
        amount_text=amount_text,
        images_per_s_each=Interval(rate.low, rate.requests_per_s, rate.high), measured=rate.measured,
        carried_from=rate.carried_from, source="; ".join(dict.fromkeys(run.source for run in nearest)),
        how=rate.how, accelerator_hours=hours, bound=network.bound,
        warnings=_warnings(rate, runs, nearest[0].accelerators, job.accelerators),
    )  # fmt: skip


def _find_network(called: str) -> str:
    name = match_image_network(called)
    if name is not None:
        return name
    near = tuple(get_close_matches(names.plain(called), image_training_data().models, n=3, cutoff=0.5))
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(image_training_data().models)}."
    raise UnknownNameError(f"No network with a published training speed is called {called!r}. {hint}", near)


def _amount(network: ImageNetwork, images: float | None, epochs: float | None) -> tuple[float, str]:
    if images is None and network.dataset is not None:
        pictures = image_training_data().datasets[network.dataset]
        passes = epochs or network.usual_epochs or 1.0
        usual = "" if epochs else f" ({network.usual})"
        return passes * pictures.images, f"{passes:g} epochs of {pictures.label}{usual}"
    seen = images or network.usual_images
    if seen is None or (images is None and epochs is not None):
        raise InvalidJobError(f"{network.label}: it has no usual data set, so epochs mean nothing; give images")
    count = f"{seen / 1e6:,.4g} million images" if seen >= 1e6 else f"{seen:,.0f} images"
    return seen, count if images else f"{count} ({network.usual})"


def _rate(
    catalogue: Catalogue,
    network: ImageNetwork,
    runs: tuple[PublishedImageRate, ...],
    chip: ServingAccelerator,
    accelerators: int,
) -> NonLlmRate:
    """Pictures a second of each: the median of what was published of about so many; wider where they disagree."""
    chips = sorted({run.accelerator for run in runs})
    nearest = {key: [run.images_per_s / run.accelerators for run in _nearest_count(runs, key, accelerators)]
               for key in chips}  # fmt: skip
    measured = tuple(
        MeasuredRate(accelerator=key, requests_per_s=median(rates), precision="fp16", source=network.usual)
        for key, rates in nearest.items()
    )
    rate = scaled_rate(catalogue, NonLlmWork(label=network.label, bound=network.bound, measured=measured), chip)
    spread = nearest[rate.carried_from]
    # Of two tables that disagree, neither end lies outside the range.
    low, high = (end / median(spread) * rate.requests_per_s for end in (min(spread), max(spread)))
    like = image_training_data().models.get(network.like or "")
    wide, how = (FAR, f"by its operations from {like.label}, {rate.how}") if like else (1.0, rate.how)
    return replace(rate, low=min(rate.low, low) / wide, high=max(rate.high, high) * wide,
                   measured=rate.measured and not like, how=how)  # fmt: skip


def _nearest_count(
    runs: tuple[PublishedImageRate, ...], chip: str, accelerators: int
) -> tuple[PublishedImageRate, ...]:
    apart = {run: abs(log2(run.accelerators / accelerators)) for run in runs if run.accelerator == chip}
    return tuple(run for run, octaves in apart.items() if octaves == min(apart.values()))


def _warnings(
    rate: NonLlmRate, runs: tuple[PublishedImageRate, ...], known_count: float, accelerators: int
) -> tuple[str, ...]:
    warnings = {
        "no rate was published for this accelerator: the range is wide, and whether it fits in memory is not checked":
        not rate.measured,
        "its rate was published on one accelerator only: how it carries over was never checked": not rate.measured
        and len({run.accelerator for run in runs}) == 1,
        f"published rates end at {known_count:,.0f} accelerators; more of them are taken to be as fast each":
        accelerators > FAR * known_count,
        "feeding so many pictures needs processors and disks beside it; published runs had them":
        rate.requests_per_s * accelerators >= MANY_PER_S,
    }  # fmt: skip
    return tuple(text for text, holds in warnings.items() if holds)
