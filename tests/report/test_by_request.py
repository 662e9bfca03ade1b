"""What pictures, clips and minutes of sound cost at sellers is an option beside the GPUs that would make them."""

import pytest

from planner.money.option import Option, SkippedOption
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from tests.frozen import live_catalogue
from tests.rows import each_row


def scenario(model: str, requests_per_s: float) -> Scenario:
    served = Work(serve=ServingTask(model=model, requests_per_s=requests_per_s))
    return Scenario(work=(served,), accelerator="L40S-48GB", years=1)


def option(plan: Scenario) -> Option | SkippedOption:
    catalogue = live_catalogue()
    made = planned(catalogue, plan, catalogue.day)
    every: list[Option | SkippedOption] = [*made.options, *made.absent]
    return next(each for each in every if each.way == "by_request")


@each_row(("model", "requests_per_s"), [
    ("FLUX.1-dev", 0.01), ("SDXL-base", 0.5), ("Wan2.1-T2V-14B", 0.001), ("Whisper-large-v3", 2.0),
])  # fmt: skip
def test_all_requests_at_list_prices(model: str, requests_per_s: float) -> None:
    found = option(scenario(model, requests_per_s))
    assert isinstance(found, Option)
    price = live_catalogue().facts[f"request-usd-{model.lower()}"].figure.newest
    requests = requests_per_s * 3600 * 8760
    assert found.ledger.total_usd.item() == pytest.approx(price.typical * requests, rel=0.2)  # as it is worth today
    assert found.low.total_usd.item() < found.ledger.total_usd.item() < found.high.total_usd.item()
    (line,) = found.ledger.lines
    used = next(each for each in line.used if each.name == "usd_per_request")
    assert used.origin(0).figure if callable(used.origin) else used.origin.figure  # its source opens in the drawer


def test_few_clips_a_day_are_bought_by_the_clip() -> None:
    catalogue = live_catalogue()
    few = decided(planned(catalogue, scenario("Wan2.1-T2V-14B", 20 / 86_400), catalogue.day)).answer
    assert few.best is not None
    assert few.best.option.way == "by_request"


def test_many_pictures_a_day_are_not() -> None:
    catalogue = live_catalogue()
    many = decided(planned(catalogue, scenario("SDXL-base", 5.0), catalogue.day)).answer
    assert many.best is not None
    assert many.best.option.way != "by_request"
    assert "by_request" in {each.option.way for each in many.ranked}


@each_row(("plan",), [
    (scenario("SD3.5-Large-8B", 1.0),),  # nobody is known to sell it
    (scenario("Llama-3.1-8B", 1.0),),  # it is sold by the token
    (Scenario(),),
])  # fmt: skip
def test_what_has_no_such_price_says_so(plan: Scenario) -> None:
    found = option(plan)
    assert isinstance(found, SkippedOption)
    assert "by the request" in found.reason


def test_weights_of_your_own_are_not_sold_by_others() -> None:
    task = ServingTask(model="FLUX.1-dev", requests_per_s=0.1, own_weights=True)
    found = option(Scenario(work=(Work(serve=task),), accelerator="L40S-48GB", years=1))
    assert isinstance(found, SkippedOption)


def test_the_data_of_what_is_done_once_are_kept_for_its_month() -> None:
    catalogue = live_catalogue()
    task = ServingTask(model="Whisper-large-v3", requests_per_s=0.1)
    once = Work(serve=task, may_stop=True, last_month=1)
    stated = once.model_copy(update={"storage_tb": 0.05})  # who says how much is kept keeps it through the plan
    months = []
    for work in (once, stated):
        made = planned(catalogue, Scenario(work=(work,), accelerator="L40S-48GB", years=0.25), catalogue.day)
        rented = next(each for each in made.options if each.way == "on_demand")
        disk = next(line for line in rented.ledger.lines if line.part == "storage")
        months.append(int((disk.priced_usd > 0).sum()))
    assert months == [1, 3]
