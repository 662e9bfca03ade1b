"""What a line states of counts, rhythms and runs: of what each number is, and what is said of it."""

import pytest

from planner.api.plans import ask
from planner.study.one_line.read_line import read_line
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row
from tests.study.test_line_classes import _plan


@each_row(("line", "many"), [
    ("3x XE9640 with 4 H100 SXM each, offer of 410k euro", 12), ("four Lenovo SR685a with 8 MI300X each", 32),
    ("5 x DL384 with 2 GH200, 3 years", 10), ("HGX B200, 3 pcs, delivery in spring", 24),
    ("5 units DGX H200 for 4 years", 40),
    ("HGX H100 qty 6", 48), ("RTX PRO 6000 qty 6", 6), ("is a 5090 pair enough for 3 people", 2), ("a pair of L40S", 2),
    ("two L40S pairs", 2), ("three 8-GPU H200 servers in Oslo", 24), ("six 4-gpu nodes of A100 80GB", 24),
    ("2 8xB200 nodes", 16),
    ("16 nodes, 8 H100 per node", 128), ("3 servers, 4 x L40S each", 12), ("a 12-node cluster of H200", 96),
    ("32-node H100 cluster for a year", 256), ("20 nodes of 8 B300", 160), ("1 gpu node for 20 researchers", 8),
    ("we have 5 L40S, load should triple this year", 15), ("we own 4 H100 since 2024, demand will double next year", 8),
    ("we have 32 A100 40GB since 2021: keep or replace with H200?", 11), ("replace our 12 L4 by 6 L40S", 6),
    ("DevOps team of 3 at 90k each, 24 H100", 24), ("8 h100, checkpoints every 2 hours, 6 days", 8),
])  # fmt: skip
def test_a_count_in_any_form_is_of_gpus(line: str, many: int) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].accelerators == many


@each_row(("line", "hours"), [
    ("2 fine-tuning runs a week of a 32B on 8 H100, 15 h each", 8 * 30),
    ("4 jobs per week on 2 A100, 10 hours each", 80),
    ("16 H200, one training every month, each run takes 5 days", 16 * 120 * 84 / 365),
    ("nightly training runs of 6 hours on 4 L40S", 4 * 42),
    ("rl experiments on a 14B: 5 experiments a week, 16 GPUs, about 20 h each, until October", 1600),
    ("fine tuning job every sunday on 8 H100 for 9 hours", 72),
])  # fmt: skip
def test_so_many_runs_of_so_many_hours_are_gpu_hours(line: str, hours: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].accelerator_hours_per_month == pytest.approx(hours * 365 / 84, rel=0.01)


@each_row(("line", "share"), [
    ("8 h100, 30% used in the first half and 70% in the second half", 0.5), ("16 l40s, 9 months a year", 0.75),
    ("4 h100, 8 hours a day, 6 months a year", 1 / 6), ("2 a10 for a course, 6h lab per week", 6 / 168),
    ("4 l4, 20 hours of inference a week", 20 / 168), ("8 H100 retrain every week, 12 hours per run", 12 / 168),
    ("64 h100 for 3 weeks every quarter", 504 / 2190),
    ("32 h100, checkpoints every 30 minutes, 75% busy", 0.75),
    ("32 h100, billed hourly, 40% used, backups every night", 0.4),
])  # fmt: skip
def test_a_rhythm_is_the_share_of_the_time_of_what_it_stands_beside(line: str, share: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].busy_share == pytest.approx(share, rel=0.01)
    assert not plan.work[0].accelerator_hours_per_month


@each_row(("line", "rps"), [
    ("whisper large, 6,000 hours of audio each month", 6000 * 120 / 2628000),
    ("wan 2.1, 4000 clips of 5 seconds per day", 4000
        / 86400), ("300 videos a day with wan 2.1", 300 / 86400),
])  # fmt: skip
def test_a_period_behind_each_is_no_person_and_no_second(line: str, rps: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].serve is not None
    assert plan.work[0].serve.requests_per_s == pytest.approx(rps, rel=0.01)


@each_row(("line", "left"), [
    ("16 A100 for 8 days, status mail every hour", "every hour"),
    ("wan 2.1, 90 clips of 8 seconds per day", "8 seconds"),
    ("8 h100, traffic will triple next year", "triple"),
])  # fmt: skip
def test_a_rhythm_of_something_else_is_left_out(line: str, left: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert any(left in text for text in reading.left_out)
    assert reading.scenario is not None
    assert reading.scenario.work[0].accelerators <= 16


def test_more_runs_a_month_than_hours_are_asked_about() -> None:
    (question,) = read_line(live_catalogue(), "llama 8b, 40,000 trainings a month").questions
    plans = [_plan(line) for line in question.choices.values()]
    assert plans[0] is not None
    assert plans[0].work[0].serve is not None
    assert plans[0].work[0].serve.requests_per_s == pytest.approx(40000 / 2628000, rel=0.01)


@each_row(("line", "said"), [
    ("900 H100 for 1 month at Oracle", "for one run of 657,000 GPU-hours"),
    ("30k A100 hours", "for one run of 30,000 GPU"),
    ("16 h100 bought in 2024 sit at 20% use, sell them and rent?", "not the H100 SXM5 80 GB you have."),
    ("our cloud bill is 1.3 Mio CHF a year for 40 A100", "You pay $132,000 a month for your present service: "),
])  # fmt: skip
def test_what_was_read_is_said_as_it_is(line: str, said: str) -> None:
    asked = ask(live_catalogue(), line, DAY)
    assert asked.report is not None
    summary = asked.report.summary
    texts = (asked.read_as, summary.title, *summary.sentences)
    assert any(said in text for text in texts), texts
    assert "busy" not in asked.read_as or "run of" not in said
