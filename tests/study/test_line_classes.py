"""Whole classes of lines: unknown names, numbers with any unit, money, wishes, instances, models of one's own size."""

import itertools
import re
from collections.abc import Iterator

import pytest

from planner.api.plans import ask
from planner.scenario.known_names import ScenarioError
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_records import LineError
from planner.study.one_line.line_words import WORDS
from planner.study.one_line.read_line import read_line
from pricing.exchange import rates
from tests.daily import of_today
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row

pytestmark = pytest.mark.slow

_WORKS = ("8 h100 for 2 years", "llama 70b at 5 requests a second", "train a 7b on 100B tokens with 16 h100")
_SLOTS = ("in", "at", "from", "on", "with", "via", "using")
_NOBODY = ("Zyxcloud", "Qwertium", "Vornheim GmbH", "eu-fra-9", "xx-north-7", "zz9.metal", "新加坡", "Новоград")


def _plan(line: str) -> Scenario | None:
    """Return the plan of a line; None where it asks, or says why there is none."""
    try:
        return read_line(live_catalogue(), line).scenario
    except (LineError, ScenarioError):
        return None


def _pairs(*parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield each mix of the parts, thinned evenly to a few hundred."""
    mixes = list(itertools.product(*parts))
    return iter(mixes[:: max(len(mixes) // 300, 1)])


@pytest.mark.slow
def test_what_stands_for_a_name_and_is_none_is_never_planned_over() -> None:
    planned = [line for work, slot, name in _pairs(_WORKS, _SLOTS, _NOBODY) if _plan(line := f"{work} {slot} {name}")]
    assert not planned


@pytest.mark.slow
def test_a_number_with_a_unit_of_something_else_changes_no_plan() -> None:
    units = (
        "800 V", "400 volts", "32 A", "25 kg", "25 °C", "60 dB", "42U", "40 m²", "400 Gbps", "3.2 Tb/s", "64 cores",
        "96 vCPUs", "3.5 GHz", "512 GB RAM", "2 TB RAM", "12 floors", "30 km", "8 lanes", "48 ports", "24 languages",
        "99.9% uptime", "120 fps", "4K", "1080p", "12 cameras", "7 nm", "5G", "ISO 27001", "Tier 3", "100 MB logs",
        "4 h response", "9 out of 10", "10x", "5th floor", "v2.3", "16 bays", "60 sensors",
    )  # fmt: skip
    bases = (*(f"{work}, {{}}" for work in _WORKS), "we pay openai $20k a month, {}", "{}, 8 h100 for 2 years")
    plain = {base: _plan(base.format("").strip(" ,")) for base in bases}
    changed = [
        line for base, unit in _pairs(bases, units) if _plan(line := base.format(unit)) not in (None, plain[base])
    ]
    assert None not in plain.values()
    assert not changed


@pytest.mark.slow
def test_a_sum_is_in_the_currency_that_it_names_or_a_question() -> None:
    sums = {
        "EUR 300k": (3e5, "EUR"), "300k€": (3e5, "EUR"), "300 TEUR": (3e5, "EUR"), "300 kEUR": (3e5, "EUR"),
        "0.3 MEUR": (3e5, "EUR"), "300.000 €": (3e5, "EUR"), "3 MSEK": (3e6, "SEK"), "2 mn NOK": (2e6, "NOK"),
        "R$ 2 million": (2e6, "BRL"), "CHF 250k": (2.5e5, "CHF"), "200k pounds": (2e5, "GBP"), "S$ 400k": (4e5, "SGD"),
        "2 crore": (2e7, "INR"), "₩500,000,000": (5e8, "KRW"), "2M yuan": (2e6, "CNY"), "1.5M zł": (1.5e6, "PLN"),
        "5M Kč": (5e6, "CZK"), "90M Ft": (9e7, "HUF"), "10M ₺": (1e7, "TRY"), "1M lei": (1e6, "RON"),
        "300 grand": (3e5, "USD"), "US$300k": (3e5, "USD"), "200k + 100k": (3e5, "USD"),
    }  # fmt: skip
    frames = (
        "budget {} for h100",
        "{} budget, 8 h100, 3 years",
        "8 h100 with a budget of {}",
        "our budget is {}: h200",
    )
    per = {**{code: rate.usd for code, rate in rates(live_catalogue()).items()}, "USD": 1.0}
    plans = {(text, frame): _plan(frame.format(text)) for text in sums for frame in frames}
    wrong = {key: plan and plan.terms.budget_usd for key, plan in plans.items() if plan is None or plan.terms.budget_usd
        != pytest.approx(sums[key[0]][0] * per[sums[key[0]][1]], rel=0.01)}  # fmt: skip
    assert not wrong
    unknown = ("20M RUB", "₽20M", "NT$ 20 million", "AED 2M", "50M naira", "3M kr", "KES 1.5M", "300 foo", "12 Xkr")
    lines = [frame.format(text) for text, frame in itertools.product(unknown, frames)]
    assert not [line for line in lines if (plan := _plan(line)) and plan.terms.budget_usd]


@pytest.mark.slow
def test_tokens_read_and_written_keep_their_sides_in_any_form_and_order() -> None:
    forms = (
        "{i} token {r} and {o} token {w}", "{r} of {i} tokens, {w} of {o} tokens", "{r}: {i}, {w}: {o}",
        "{r} {i}, {w} {o}",
        "{w} of {o} tokens, {r} of {i} tokens", "{w} {o} tokens, {r} {i} tokens", "{i} in, {o} out", "{o} out, {i} in",
        "reads {i} tokens and writes {o} tokens", "avg {i} in {o} out", "{i} input tokens and {o} output tokens",
        "{i}/{o} tokens",
    )  # fmt: skip
    nouns = (("prompts", "answers"), ("inputs", "outputs"), ("input", "output"), ("prompts", "replies"))
    wrong = []
    for form, (read, written), (i, o) in itertools.product(forms, nouns, ((3000, 400), (500, 2000))):
        plan = _plan(line := f"llama 70b, {form.format(i=i, o=o, r=read, w=written)}, 2 rps")
        serve = plan.work[0].serve if plan else None
        wrong += (
            [] if serve and (serve.input_tokens, serve.output_tokens, serve.requests_per_s) == (i, o, 2) else [line]
        )
    assert not wrong


@pytest.mark.slow
def test_so_many_of_anything_in_any_time_are_requests_a_second() -> None:
    seconds = {"/s": 1, "per second": 1, "a minute": 60, "per hour": 3600, "a day": 86400, "a week": 604800}
    seconds |= {
        "daily": 86400,
        "every day": 86400,
        "each minute": 60,
        "each month": 2628000,
        "monthly": 2628000,
        "per month": 2628000,
    }
    numbers = {"5000": 5e3, "12,000": 12e3, "0.9 million": 9e5, "300k": 3e5, "0.4M": 4e5}
    nouns = ("requests", "queries", "calls", "messages", "prompts", "documents", "emails", "support tickets", "pages",
        "invoices", "chats", "questions", "reviews", "claims", "legal documents", "forms")  # fmt: skip
    frames = ("llama 8b, {n} {w} {p}", "we handle {n} {w} {p}, model llama 8b", "{w}: {n} {p}, llama 8b")
    wrong = []
    for frame, n, w, p in _pairs(frames, tuple(numbers), nouns, tuple(seconds)):
        plan, want = _plan(line := frame.format(n=n, w=w, p=p)), max(numbers[n] / seconds[p], 0.0001)
        serve = plan.work[0].serve if plan else None
        wrong += [] if serve and serve.requests_per_s == pytest.approx(want, rel=0.01) else [line]
    assert not wrong


@pytest.mark.slow
def test_people_in_any_form_are_those_who_ask() -> None:
    numbers = {"12": 12, "250": 250, "1,200": 1200, "15k": 15000}
    nouns = (
        "people",
        "employees",
        "users",
        "students",
        "lawyers",
        "nurses",
        "engineers",
        "customers",
        "staff",
        "clerks",
    )
    frames = (
        "llama 8b for {n} {w}",
        "we are {n} {w} and want llama 8b",
        "{w}: {n}, llama 8b",
        "llama 8b, {n} {w}, 2 years",
    )
    of_all = _plan("llama 8b for 1000000 people")
    assert of_all is not None
    assert of_all.work[0].serve is not None
    each, wrong = of_all.work[0].serve.requests_per_s / 1e6, []
    for frame, n, w in _pairs(frames, tuple(numbers), nouns):
        plan = _plan(line := frame.format(n=n, w=w))
        each_rps = each if w in ("people", "users", "students", "customers") else 60 / 604_800  # at work: 60 a week
        serve, want = plan.work[0].serve if plan else None, each_rps * numbers[n]
        wrong += [] if serve and serve.requests_per_s == pytest.approx(max(want, 0.0001), rel=0.01) else [line]
    assert not wrong


@pytest.mark.slow
def test_parts_of_a_line_mean_the_same_in_any_order() -> None:
    chips = {
        "16 h100": 16,
        "4 nodes of 8 B200": 32,
        "two servers with 4 A100 80GB each": 8,
        "3 dgx h100": 24,
        "h100 x 40": 40,
    }
    times = {"for 2 years": 2, "18 months": 1.5, "4-year term": 4, "term: 30 months": 2.5}
    places = {"in Germany": "DE", "Oslo": "NO", "in eu-west-1": "IE", "in Texas": "US-TX"}
    shares = {"60% busy": 0.6, "24/7": 1, "busy 45% of the time": 0.45, "8 hours a day": 1 / 3}
    powers = {"power 0.12 $/kWh": 0.12, "electricity at 9 cents per kWh": 0.09, "65 USD/MWh": 0.065}
    wrong = []
    for at, parts in of_today(tuple(enumerate(_pairs(*map(tuple, (chips, times, places, shares, powers))))), 3):
        line = ", ".join([*itertools.permutations(parts)][at * 7 % 120])
        plan, want = _plan(line), [table[part] for table, part in zip(  # type: ignore[index]
            (chips, times, places, shares, powers), parts, strict=True)]  # fmt: skip
        found = plan and [plan.work[0].accelerators, plan.years, plan.site, plan.work[0].busy_share,
                          plan.own.usd_per_kwh]  # fmt: skip
        wrong += [] if found and all(one == two or one == pytest.approx(two) for one, two in zip(
            found, want, strict=True)) else [(line, found)]  # fmt: skip
    assert not wrong


@pytest.mark.slow
def test_the_name_of_a_cloud_instance_is_its_gpu_its_count_and_its_seller() -> None:
    skus: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for offer in live_catalogue().offers.values():
        name = (offer.sku or "").partition(" (")[0]
        if offer.provider in ("aws", "azure", "gcp", "oci") and re.search(r"\d.*[._-]", name) and " " not in name:
            skus.setdefault((offer.provider, name), set()).add(
                (offer.accelerator, offer.accelerators_per_instance or 0)
            )
    wrong = {}
    for (seller, name), machines in skus.items():
        plan = _plan(f"{name} for a year, 3 instances")
        found = plan and (plan.accelerator, plan.work[0].accelerators // 3)
        rented = plan and plan.rent.offer and live_catalogue().offers[plan.rent.offer].provider
        wrong |= {} if found in machines and rented in (seller, None) else {name: (found, rented)}
    assert len(skus) > 40
    assert not wrong


@each_row(("line", "ways"), [
    ("rent only, 16 h200", {"on_demand", "reserved"}), ("16 h200, no capex", {"on_demand"}), ("cloud only: 8 h100", {
        "on_demand"}),
    ("we don't want to own hardware, 8 h100", {"reserved"}), ("buy only: 16 h200", {"own", "loan"}),
    ("8 h100, no renting", {"own"}), ("I want to lease, not buy, 24 h100", {"lease", "on_demand"}),
    ("hosted only, deepseek v3, 5 rps", {"hosted"}), ("llama 70b for 300 tellers, zonder cloud", {"own", "lease"}),
    ("llama 70b für 40 leute, keine Cloud", {"own"}), ("the bank will not allow any cloud: llama 70b for 300 tellers", {
        "own"}),
    ("rent or buy 8 h100", set()), ("8 h100, should we buy or not", set()),
])  # fmt: skip
def test_a_wish_for_a_way_is_the_only_way_planned(line: str, ways: set[str]) -> None:
    plan = _plan(line)
    assert plan is not None
    assert ways <= set(plan.ways)
    assert bool(ways) == bool(plan.ways)
    assert not {"own", "on_demand"} <= set(plan.ways), "both sides are left"


@each_row(("line", "refused"), [
    ("anything but AWS: 32 H100", {"aws"}), ("64 gb200, any seller but oracle", {"oci"}),
    ("16 h100 not from google or aws", {"aws", "gcp"}),
    ("no hyperscalers: 32 H200", {*WORDS["hyperscalers"]}), ("no aws, no azure: 8 h100", {"aws", "azure"}),
    ("8 h200, AWS is out, 1 year", {"aws"}), ("no chinese providers, 64 h100 in singapore", {"alibaba", "tencent"}),
    ("serve llama 70b at 20 rps, kein AWS", {"aws"}), ("32 a100 without google cloud or oracle", {"gcp", "oci"}),
])  # fmt: skip
def test_a_seller_that_is_refused_is_not_rented_from(line: str, refused: set[str]) -> None:
    plan = _plan(line)
    assert plan is not None
    assert set(plan.not_from) == refused
    assert plan.rent.offer is None, "the choice among all others is left to their prices"


@each_row(("line", "total", "active"), [
    ("serve our 34B model at 8 rps", 34, None), ("train a 70B MoE with 12B active on 3T tokens", 70, 12),
    ("our own MoE has 120B parameters, 9B active, 4 rps", 120, 9), ("our 5.4B model for 100 people", 5.4, None),
    ("our model is a 1.3 trillion parameter MoE, 40b active, 1 rps", 1300, 40),
    ("fine-tune our 7B model on 50M tokens", 7, None),
])  # fmt: skip
def test_a_model_of_ones_own_size_is_no_named_model(line: str, total: float, active: float | None) -> None:
    plan = _plan(line)
    assert plan is not None
    task = plan.work[0].train or plan.work[0].serve
    assert (plan.models[0].params_b, plan.models[0].active_params_b) == (total, active)
    assert task is not None
    assert task.model == plan.models[0].name


@each_row(("line", "choice"), [
    ("I want to learn CUDA", "one L4"), ("what gpu for learning pytorch under 600 euros", "RTX 4060"),
    ("100k a day, llama 70b", "requests"),
    ("2.5 L40S for a year", "3 GPUs"), ("serve our 1.5T model at 8 rps", "40B"), ("budget 40000 kr for a 4090", "SEK"),
    ("500k RUB for a 4090", "leave it"),
])  # fmt: skip
def test_what_is_open_is_a_question_whose_choices_are_plans(line: str, choice: str) -> None:
    (question,) = read_line(live_catalogue(), line).questions
    assert any(choice in label for label in question.choices)
    assert all(_plan(each) for each in question.choices.values())


@each_row(("line", "term", "usd", "years"), [
    ("2 years contract 2.55 $/h for 64 h100", "reserved_2y", 2.55, 2),
    ("64 H100 reserved at 2.85 for a year", "reserved_1y", 2.85, 1),
    ("quote of $2.40 per GPU hour for 32 H200 for 1 year, is it good?", "reserved_1y", 2.4, 1),
    ("coreweave quoted us 2.35/gpu/hr for 128 h100s, 2 yr", "reserved_2y", 2.35, 2),
    ("our contract for 64 H100 at 2.85 ends in March, renew or go on demand?", "reserved_1y", 2.85, 1),
    ("reservation of 8 MI300X runs out in May, 2.20 an hour, extend it?", "reserved_1y", 2.2, 1),
    ("H100 deal: $2.10 per hour, 1 year, 64 pcs", "reserved_1y", 2.1, 1),
    ("6 month commitment at 2.10 per gpu hour, 16 H100", "reserved_6m", 2.1, 0.5),
    ("they offer 3 years at $31/hr per node for our 4 nodes of 8 H100", "reserved_3y", 3.875, 3),
])  # fmt: skip
def test_a_price_for_a_term_is_a_reservation_that_is_paid_busy_or_idle(
    line: str, term: str, usd: float, years: float
) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.reserve.term, plan.years, plan.work[0].busy_share) == (term, years, 1.0)
    assert plan.reserve.usd_per_accelerator_hour == pytest.approx(usd)
    assert plan.rent.usd_per_accelerator_hour is None, "on demand stands at the market"


@each_row(("line", "usd"), [
    ("we rent 8 H100 at 1.80 an hour, is that good?", 1.8), ("16 H100 for a year at 2.50 an hour", 2.5),
    ("4 nodes of 8 H100 at $31 per hour per node", 3.875),
])  # fmt: skip
def test_a_price_without_a_commitment_is_one_on_demand(line: str, usd: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.rent.usd_per_accelerator_hour == pytest.approx(usd)
    assert plan.reserve.usd_per_accelerator_hour is None


def test_a_quote_is_set_against_what_others_ask_for_the_same_order() -> None:
    asked = ask(live_catalogue(), "128 H100 on a one year commitment at 9.90 per gpu hour, is this good?", DAY)
    assert asked.report is not None
    (sentence,) = (text for text in asked.report.summary.sentences if text.startswith("Your $9.90 an hour is"))
    assert re.search(r"\d+% above the \$\d\.\d\d .* pays for 1 year, .* in all; (?:\d+% above|no seller)", sentence)


@each_row(("line", "chips"), [
    ("budget $8000 for a VFX house, what fits our budget", {"RTX-5090-32GB", "L40S-48GB"}),
    ("college lab, budget $5000", {"RTX-5090-32GB", "RTX-4090-24GB", "RTX-3090-24GB"}),
    ("budget of 2M USD over 3 years", {"H100-SXM5-80GB"}), ("budget $8000 for h100", {"H100-SXM5-80GB"}),
])  # fmt: skip
def test_a_small_budget_is_tried_on_smaller_gpus_where_none_is_named(line: str, chips: set[str]) -> None:
    asked = ask(live_catalogue(), line, DAY, with_answer=False)
    assert asked.loaded is not None
    assert asked.loaded.scenario.accelerator in chips


@each_row(("money", "site"), [
    ("500k EUR", "EU"), ("£500k", "GB"), ("CHF 500k", "CH"), ("¥50,000,000", "JP"), ("50 lakh rupees", "IN"),
    ("5 MSEK", "SE"), ("AUD 500k", "AU"), ("$500k", "US"),
])  # fmt: skip
def test_a_line_without_a_place_is_planned_where_its_money_is_paid(money: str, site: str) -> None:
    reading = read_line(live_catalogue(), f"8 h100 for 2 years, budget {money}")
    assert reading.scenario is not None
    assert reading.scenario.site == site
    assert any(note.startswith("No place is stated") for note in reading.notes) == (site != "US")
    stated = read_line(live_catalogue(), f"8 h100 in Norway for 2 years, budget {money}").scenario
    assert stated is not None
    assert stated.site == "NO"


@each_row(("line", "chip"), [
    ("buy 2 h100 for 5 years", "H100-PCIe-80GB"), ("we want to purchase 4 A100", "A100-PCIe-80GB"),
    ("2 H100 kopen", "H100-PCIe-80GB"), ("buy 2 H100 SXM", "H100-SXM5-80GB"), ("buy 8 h100", "H100-SXM5-80GB"),
    ("buy or rent 2 h100", "H100-SXM5-80GB"),
])  # fmt: skip
def test_few_that_are_bought_are_cards(line: str, chip: str) -> None:
    """A board has 8; cards stand in servers for 1 to 8. The other form is said, and nothing is left out."""
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    assert reading.scenario.accelerator == chip
    assert not reading.left_out
    said = " ".join(reading.notes)
    assert ("-SXM" in said) == ("PCIe" in chip)
    assert "SXM" not in chip or "SXM" in line or ("To own so few" in said) == ("2 " in line)


@each_row(("line", "kept", "place"), [
    ("got a 4090 at home, rent an h100 to finetune llama 3 8b?", "RTX-4090-24GB", "home"),
    ("we have 2 DGX H100 in our lab, keep or sell", "H100-SXM5-80GB", "own_room"),
    ("got a quote for 8 H100", "", None), ("a studio buys 10 workstations with RTX 5090", "", "office"),
    ("a workstation with 2 x RTX 6000 Ada at home", "", "home"),
])  # fmt: skip
def test_what_stands_at_ones_own_place_is_owned_and_stands_there(line: str, kept: str, place: str | None) -> None:
    scenario = _plan(line)
    assert scenario is not None
    assert (scenario.kept.accelerator if scenario.kept else "") == kept
    assert scenario.own.place == place


@each_row(("line", "each", "machine"), [
    ("Lenovo quotation: 2 machines of 8 H200 each, EUR 620,000", 310_000 * 1.117, 8),
    ("the reseller wants $285,000 for 8 B200, or rent them for 2 years", 285_000, 8),
    ("is $14k a fair price for a workstation with 2 x RTX 6000 Ada", 14_000, 2),
    ("a node with 4 L40S costs 61k at our supplier", 61_000, 4),
    ("lease 4 L40S at 2,100 EUR a month or buy for 58k", 58_000 * 1.117, 4),
])  # fmt: skip
def test_what_a_seller_asks_for_machines_is_their_price_and_no_budget(line: str, each: float, machine: int) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.own.usd_per_server == pytest.approx(each, rel=0.001)
    assert plan.own.accelerators_per_server == machine
    assert plan.terms.budget_usd is None


@each_row(("line", "usd", "many"), [
    ("buy a used 3090 for 650 or rent one", 650, 1), ("buying 4 RTX 4090 for 7200 euros", 1800 * 1.117, 4),
])  # fmt: skip
def test_a_small_sum_for_cards_is_what_they_cost_and_not_how_many(line: str, usd: float, many: int) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.own.usd_per_accelerator, plan.work[0].accelerators) == (pytest.approx(usd, rel=0.001), many)


def test_what_a_landlord_quotes_in_one_sum_is_a_question() -> None:
    (question,) = read_line(live_catalogue(), "Lambda quoted $400k for 16 H100").questions
    assert {"a budget of $400k", "bought for $400k"} <= question.choices.keys()


def test_the_price_of_the_first_is_not_the_price_of_the_gpu_beside_it() -> None:
    (beside,) = read_line(live_catalogue(), "8 H100 server costs 240k at our dealer, or 8 L40S").beside.values()
    plan = _plan(beside)
    assert plan is not None
    assert (plan.own.usd_per_server, plan.own.usd_per_accelerator) == (None, None)
