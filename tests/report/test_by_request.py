"""What a picture, a clip or a minute of sound costs at sellers stands beside the plan that makes it on GPUs."""

import re

import pytest

from planner.report.answer.notes import unhosted_sentences
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.study.plan_any import planned
from tests.frozen import live_catalogue
from tests.rows import each_row


def sentences(model: str, requests_per_s: float) -> str:
    catalogue = live_catalogue()
    work = Work(serve=ServingTask(model=model, requests_per_s=requests_per_s))
    plan = planned(catalogue, Scenario(work=(work,), accelerator="L40S-48GB", years=1), catalogue.day)
    return " ".join(unhosted_sentences(plan))


@each_row(("model", "requests_per_s"), [
    ("FLUX.1-dev", 0.01), ("SDXL-base", 0.5), ("Wan2.1-T2V-14B", 0.001), ("Whisper-large-v3", 2.0),
    ("Whisper-large-v3-turbo", 0.4),
])  # fmt: skip
def test_all_of_it_at_list_prices(model: str, requests_per_s: float) -> None:
    text = sentences(model, requests_per_s)
    said = re.search(r"by the request for about \$([\d,]+) \(\$([\d,]+) to \$([\d,]+)\)", text)
    assert said is not None, text
    price = live_catalogue().facts[f"request-usd-{model.lower()}"].figure.newest
    requests = requests_per_s * 3600 * 8760
    wanted = [each * requests for each in (price.typical, price.low, price.high)]
    assert [float(each.replace(",", "")) for each in said.groups()] == pytest.approx(wanted, rel=0.01)


def test_a_network_that_nobody_is_known_to_sell_is_said() -> None:
    assert "no price by the picture is on record" in sentences("SD3.5-Large-8B", 1.0)
