"""What a line states of counts, rhythms and runs: of what each number is, and what is said of it."""

import pytest

from planner.api.plans import ask, line_result
from planner.money.ways import WAYS
from planner.report import words
from planner.study.one_line.read_line import read_line
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row
from tests.study.test_line_classes import _plan

pytestmark = pytest.mark.slow


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
    ("QLoRA on 70B, two or three runs a month at ~20 hours each on one 8-GPU box.", 2.5 * 160 * 84 / 365),
    ("2 fine-tuning runs a week of a 32B on 8 H100, 15 h each", 8 * 30),
    ("4 jobs per week on 2 A100, 10 hours each", 80),
    ("16 H200, one training every month, each run takes 5 days", 16 * 120 * 84 / 365),
    ("nightly training runs of 6 hours on 4 L40S", 4 * 42),
    ("rl experiments on a 14B: 5 experiments a week, 16 GPUs, about 20 h each, until October", 1600),
    ("fine tuning job every sunday on 8 H100 for 9 hours", 72),
    ("we run 12 experiments a week, 4 GPUs each, 6 hours each", 12 * 24),
    ("15 jobs per week on 8 A100, each job 10 hours", (
        15 * 80)), ("they do 9 tuning jobs a month, each 8 GPUs for 20 hours", 9 * 160 * 84 / 365),
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
    ("studio of 14 illustrators on flux, each makes like 90 images a day", 14 * 90 / 86400),
    ("we have 15 radiologists, each reads about 60 scans a day with qwen2.5-vl 7b", 15 * 60 / 86400),
    ("sdxl, 500 users, 10 images each per day", 5000 / 86400),
    ("flux, 8 people, 200 images per person per day", 1600 / 86400),
    ("whisper for 50 lawyers, each 2 hours of dictation a day", 50 * 240 / 86400),
    ("whisper for 10 minutes of audio from each of 40k users per day", 40e3 * 20 / 86400),
    ("wan 2.1, 4000 clips of 5 seconds per day", 4000
        / 86400), ("300 videos a day with wan 2.1", 300 / 86400),
])  # fmt: skip
def test_a_period_behind_each_is_no_person_and_no_second(line: str, rps: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].serve is not None
    assert plan.work[0].serve.requests_per_s == pytest.approx(rps, rel=0.01)


@each_row(("line", "rps", "peak"), [
    ("sdxl, 90k images a day, peak in the evening", 90e3 / 86400, 90e3 / 86400 * 24 / 15.1),
    ("llama 70b at 2 requests a second, mainly during office hours", 2, 2 * 24 / 14),
    ("qwen3 8b, 15 requests per second at peak", 15 * 15.1 / 24, 15),
    ("whisper for 150 agents, 6 hours a day", 150 / 30 / 4, 150 / 30),
    ("llama 8b for 2000 employees, business hours only", 2000 * 60 / 604800, 2000 * 60 / 144000),
])  # fmt: skip
def test_when_a_service_is_busy_is_its_peak_and_not_how_long_it_runs(line: str, rps: float, peak: float) -> None:
    """By the shapes of a day of days.yaml, whose hours add up to 15.1 and 14 of the busiest one."""
    plan = _plan(line)
    assert plan is not None
    serve = plan.work[0].serve
    assert serve is not None
    assert serve.requests_per_s == pytest.approx(rps, rel=0.01)
    assert serve.peak_requests_per_s == pytest.approx(peak, rel=0.01)


@each_row(("line", "months", "many"), [
    ("growing 10% per month from 4 to maybe 20 l40s, should we commit?", 17, (4, 20)),
    ("16 h100, growing 5% a month up to 48", 23, (16, 48)),
    ("we need 8 a100, growing 50% a year up to 16, 4 years", 21, (8, 16)),
    ("ramp from 10 to 40 H200, growing 15% a month", 10, (10, 40)),
])  # fmt: skip
def test_growth_that_ends_ends(line: str, months: int, many: tuple[int, int]) -> None:
    """Ln 5 / ln 1.1 is 16.9 months, ln 3 / ln 1.05 is 22.5, 12 ln 2 / ln 1.5 is 20.5, ln 4 / ln 1.15 is 9.9."""
    plan = _plan(line)
    assert plan is not None
    growing, grown = plan.work
    assert (growing.accelerators, grown.accelerators) == many
    assert (growing.last_month, grown.first_month) == (months, months + 1)
    assert grown.growth_per_year == 0


@each_row(("line", "left"), [
    ("16 A100 for 8 days, status mail every hour", "every hour"),
    ("wan 2.1, 90 clips of 8 seconds per day", "8 seconds"),
    ("8 h100, traffic will triple next year", "triple"),
    ("own 8 a100, add more or rent?", "add more"), ("own 4 l40s and a 3090, when to rent an a100", "RTX 3090"),
])  # fmt: skip
def test_a_rhythm_of_something_else_is_left_out(line: str, left: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert any(left in text for text in reading.left_out)
    assert reading.scenario is not None
    assert reading.scenario.work[0].accelerators <= 16


@each_row(("line", "runs"), [
    ("LoRA adapters for 30 customers every week, llama 3.1 8b, 5M tokens per customer", 30 * 365 / 84),
    ("QLoRA of mistral 7b for 25 clients per month", 25),
    ("fine-tune llama 8b for each of our 40 tenants every month", 40),
    ("train a lora per customer, 300 customers a month, flux", 300), ("train a 7b for 12 clients each quarter", 4),
])  # fmt: skip
def test_so_many_that_are_trained_for_are_so_many_runs(line: str, runs: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].train is not None
    assert plan.work[0].train.runs_per_month == pytest.approx(runs, rel=0.01)


@each_row(("line", "hours"), [
    ("rent 1 a100 80gb 150 hours price", 150), ("4 H100 120 hours total cost", 480),
    ("2x l40s, 300 hours, what's the bill", 600),
    ("rent a 4090 50 hours", 50), ("64 h100 for 3 weeks, total under $200k", 64 * 504),
    ("6 weeks, 4 L40S, 12k euros", 4032),
])  # fmt: skip
def test_hours_in_all_are_one_run_with_a_budget_too(line: str, hours: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].run is not None
    assert plan.work[0].run.hours == pytest.approx(hours)


@each_row(("line", "rps", "peak", "last"), [
    ("9,000 clips with wan 2.1 in 20 days", 9000 / 2628000, 9000 / 20 / 86400, 1),
    ("2000 10-second videos by wan 2.1, 720p, within 5 weeks", 1000 / 2628000, 2000 / 35 / 86400, 2),
    ("translate 2 million pages in 3 weeks with llama 70b", 2e6 / 2628000, 2e6 / 21 / 86400, 1),
])  # fmt: skip
def test_what_must_be_done_in_weeks_is_no_work_of_the_rest_of_the_plan(
    line: str, rps: float, peak: float, last: int
) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.work[0].serve is not None
    assert plan.work[0].serve.requests_per_s == pytest.approx(rps, rel=0.01)
    assert plan.work[0].serve.peak_requests_per_s == pytest.approx(peak, rel=0.01)
    assert plan.work[0].last_month == last


@each_row(("line", "left"), [
    ("1,200 H100 hours prepaid, a 13B to train on 60B tokens, enough?", "1,200, as the hours follow from the work"),
    ("10 jobs a month on 8 h100", "10 jobs a month, as how long"),
    ("monthly fine-tune of llama 8b for 60 tenants", "60 tenants"),
    ("wan 2.1 at 4 requests a second", "GPUs are meant"), ("300 clips at 1080p by wan 2.1 a day", "1080p"),
])  # fmt: skip
def test_what_would_change_the_work_is_left_out_before_the_answer(line: str, left: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert any(left in text for text in reading.left_out), reading.left_out


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
    ("our cloud bill is 1.3 Mio CHF a year for 40 A100", "You pay CHF 108,000 a month for your present service: "),
])  # fmt: skip
def test_what_was_read_is_said_as_it_is(line: str, said: str) -> None:
    asked = ask(live_catalogue(), line, DAY)
    assert asked.report is not None
    summary = asked.report.summary
    texts = (asked.read_as, summary.title, *summary.sentences)
    assert any(said in text for text in texts), texts
    assert "busy" not in asked.read_as or "run of" not in said


@each_row(("line", "base", "more", "share"), [
    ("half our load is steady and half is spiky (8 to 40 H100s)", 8, 32, 0.25),
    ("steady 12 H100 all year, peaks up to 40 H100 for about 6 weeks in autumn", 12, 28, 42 / 365),
    ("base 8, peak 40 H100", 8, 32, 0.1), ("8 H100 base load, up to 32 at peak 2 months a year", 8, 24, 1 / 6),
    ("16 l40s always and peaks of 64 for 3 weeks a year, 4 years", 16, 48, 21 / 365),
    ("our load varies between 4 and 20 A100", 4, 16, 0.1),
    ("steady 24 b200, bursts to 96 b200 10% of the time, Norway", 24, 72, 0.1),
])  # fmt: skip
def test_peaks_of_gpus_are_work_beside_what_is_steady(line: str, base: int, more: int, share: float) -> None:
    plan = _plan(line)
    assert plan is not None
    steady, peaks = plan.work
    assert (steady.accelerators, steady.busy_share, peaks.accelerators) == (base, 1.0, more)
    assert peaks.busy_share == pytest.approx(share, rel=0.01)
    assert plan.years >= 3


@each_row(("line", "many"), [
    ("8 to 16 H100 for a year", 12), ("up to 64 h100 for training", 64), ("max 40 h100 for 2 years", 40),
    ("from 16 to 64 H100 within a year", 16),
])  # fmt: skip
def test_a_span_without_a_word_of_peaks_is_none(line: str, many: int) -> None:
    plan = _plan(line)
    assert plan is not None
    assert [work.accelerators for work in plan.work] == [many]


def test_what_is_steady_and_its_peaks_are_in_the_sentence_and_in_the_answer() -> None:
    asked = ask(live_catalogue(), "base 8, peak 40 H100", DAY)
    assert "and 32 more busy 10%" in asked.read_as
    assert asked.report is not None
    assert "rent the peaks" in asked.report.summary.title


@each_row(("line", "months"), [
    ("8x H200 HGX server USD 289,000, delivery 14 weeks, rent until it comes?", 3.2),
    ("16 b200, lead time 6 months", 6),
    ("32 H100 with 10 weeks delivery time, 3 years", 2.3),
])  # fmt: skip
def test_a_time_of_delivery_is_no_length(line: str, months: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.own.lead_time_months, plan.years) == (months, 3)


def test_a_contract_until_a_month_is_paid_idle_or_busy() -> None:
    plan = _plan("we signed a contract with CoreWeave through Sept 2027 for 48 H100 at $2.35")
    assert plan is not None
    assert (plan.reserve.usd_per_accelerator_hour, plan.work[0].busy_share) == (2.35, 1.0)
    assert plan.rent.usd_per_accelerator_hour is None


@pytest.mark.parametrize("line", ["how much per month for 4 l40s", "8 H100 in Oslo, what is the monthly cost"])
def test_a_month_that_is_asked_for_is_no_part_that_is_left_out(line: str) -> None:
    """The answer has what each option takes a month beside the whole plan."""
    answer = ask(live_catalogue(), line, DAY)
    assert answer.reading.left_out == ()
    assert answer.report is not None
    best = next(iter(answer.report.answer.cards.values()))
    month = words.format_usd_short(float(best.measures.bills_usd) / answer.report.plan.setting.scenario.months)
    assert f"A month, in cash over the plan: {WAYS[best.option.way].start_text} {month}" in line_result(answer).text()
