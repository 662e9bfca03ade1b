"""Published cases of single sums: rates, bills, training costs, depreciation."""

import csv
from datetime import date
from io import StringIO
from math import log

from scipy.optimize import brentq

from planner.money import finance
from planner.money.demand import queueing
from tests.published.case import Scene, StatedNumber, case, recomputed

# Model, USD of a server's share, GPU released, training began, GPU-hours, GPU kW, server over GPU power, PUE, USD/kWh,
# GPUs, price index; then as stated: written down to the start of training, without that, the whole cluster.
_EPOCH = """
GPT-4,24875,2020-05-14,2022-05-12,57000000,0.4,2.03125,1.25,0.0806,25000,1.013442,40695706.4,68783537.59,778066898.7
OPT-175B,24875,2020-11-16,2022-01-28,812544,0.4,2.03125,1.1,0.0832,1024,1.018545,733634.637,980802.3338,32030088.83
BLOOM-176B,24875,2020-11-16,2022-01-15,1078272,0.4,2.03125,1.25,0.0832,384,1.022016,995819.1171,1314372.946,12052219.88
Llama 2-70B,24875,2020-11-16,2023-03-08,1720320,0.4,2.03125,1.1,0.0806,1000,1.008398,1102561.194,2052847.812,30967792.28
Falcon-180B,24875,2020-05-14,2023-01-09,17694720,0.4,2.03125,1.25,0.0806,4096,1.008893,10368712.43,21256880.96,126906267.7
Llama 3.1-405B,44489.88,2022-09-20,2024-02-24,35094528,0.7,1.82143,1.1,0.0771,16384,0.995712,51040524.06,73415549.41,896044948.9
GPT-3 175B,18625,2018-03-27,2019-10-01,3552000,0.25,1.66667,1.25,0.0667,10000,1.05246,2198104.565,3258457.386,242000906.3
"""  # noqa: E501


@case(
    "Lenovo LP2368 (2026): cost of a million tokens, cloud against own",
    "https://lenovopress.lenovo.com/lp2368-on-premise-vs-cloud-generative-ai-total-cost-of-ownership-2026-edition",
    "2026",
)
def lenovo_lp2368_token_economics() -> tuple[StatedNumber, ...]:
    return (
        StatedNumber("advantage_multiple", "x", 18, 18.18182, 0.02, lambda: 2 / 0.11),
        StatedNumber("large_model_saving", "fraction", 0.84, 0.8370574, 0.005, lambda: 1 - 4.74 / 29.09),
    )


def _epoch_checks(
    model: str, server: str, released: str, began: str, hours: str, *more: str
) -> tuple[StatedNumber, StatedNumber, StatedNumber]:
    server_usd, gpu_hours, falls = float(server), float(hours), 0.14
    kw, server_factor, pue, usd_per_kwh, gpus, index, *stated = (float(one) for one in more)
    years = ((date.fromisoformat(began) - date.fromisoformat(released)).days - 90) / 365.25  # bought a quarter later
    left = 10 ** (-falls * years)
    whole = 1 / (1 - 0.19)  # with the interconnect
    energy_usd = kw * server_factor * 0.75 * pue * usd_per_kwh * gpu_hours
    hardware_usd = server_usd * (falls * log(10) / 8766) * gpu_hours * whole
    depreciated, full, cluster = stated
    return (
        StatedNumber(
            *(f"{model}: amortised capex+energy (value depreciated to training start)", "USD Dec-2024"),
            *(depreciated, None, 1e-6, lambda: (hardware_usd * left + energy_usd) * index),
        ),
        StatedNumber(
            *(f"{model}: same without pre-training depreciation (model_costs_updated.csv)", "USD Dec-2024"),
            *(full, None, 1e-6, lambda: (hardware_usd + energy_usd) * index),
        ),
        StatedNumber(
            *(f"{model}: up-front cluster acquisition", "USD Dec-2024"),
            *(cluster, None, 1e-6, lambda: server_usd * gpus * whole * index),
        ),
    )


@case(
    "Epoch AI: amortised hardware and energy of seven training runs",
    "https://github.com/epoch-research/training-cost-trends",
    "2024-05-31, code 2025-06",
)
def epoch_training_costs_7_models() -> tuple[StatedNumber, ...]:
    return tuple(check for row in csv.reader(StringIO(_EPOCH.strip())) for check in _epoch_checks(*row))


@case(
    "T. Tsugriy, Distributed Training: economics of compute, exercises",
    "https://github.com/ttsugriy/distributed-training-book/blob/main/docs/foundations/05-economics-of-compute.md",
    "2026-02-12",
)
def distributed_training_book_economics() -> tuple[StatedNumber, ...]:
    hours = 6 * 70e9 * 2e12 / (0.45 * 989e12 * 3600)
    spot = {"checkpoint_interval_hours": 1, "checkpoint_cost_hours": 0.05, "restart_hours": 0}
    full = Scene(
        years=6,
        work={"accelerators": 1, "busy_share": 1},
        own={"accelerators": 1, "capex_usd": 55_000, "running_usd_per_month": 0},
        rent={"usd_per_accelerator_hour": 4},
    )
    half = full.but(work={"busy_share": 0.5})

    def stretch(interruptions_per_hour: float) -> float:
        return float(queueing.preemption_stretch(interruptions_per_hour=interruptions_per_hour, **spot).value)

    def preemptions() -> float:
        return float(brentq(lambda per_hour: stretch(per_hour) - 4 / 1.5, 0.0, 1.9))

    return (
        StatedNumber("ex1_gpu_hours", "GPU-h", 525000, 524285.7, 0.003, lambda: hours),
        StatedNumber("ex1_cost", "USD", 2100000, 2097143, 0.003, lambda: hours * 4),
        StatedNumber(
            *("ex2_cost_ratio_b_over_a", "x", 1.43, 1.428571, 0.002),
            lambda: 0.5 / 0.35,
            note="b is 43 % more expensive, so a is 30 % cheaper, not 43 % as its text has it",
        ),
        StatedNumber("ex3_breakeven_preemption_per_h", "1/h", 1.22, 1.2125, 0.01, preemptions),
        StatedNumber("ex3_multiplier_5pct", "x", 1.08, 1.076923, 0.005, lambda: stretch(0.05)),
        StatedNumber("ex3_multiplier_20pct", "x", 1.17, 1.166667, 0.005, lambda: stretch(0.2)),
        StatedNumber("ex3_multiplier_50pct", "x", 1.4, 1.4, 0.005, lambda: stretch(0.5)),
        StatedNumber("breakeven_gpu_hours", "h", 13750, 13750, 1e-6, lambda: full.payback_months() * 730),
        StatedNumber("breakeven_months_100pct", "months", 19, 18.83562, 0.01, full.payback_months),
        StatedNumber("breakeven_years_50pct", "years", 3, 3.139269, 0.05, lambda: half.payback_months() / 12),
    )


@case(
    "DeepSeek-V3/R1: one day of inference, cost and theoretical revenue",
    "https://github.com/deepseek-ai/open-infra-index/blob/main/202502OpenSourceWeek/"
    "day_6_one_more_thing_deepseekV3R1_inference_system_overview.md",
    "2025-03-01",
)
def deepseek_inference_day() -> tuple[StatedNumber, ...]:
    cost, stated_revenue = 226.75 * 8 * 24 * 2, 562_027
    revenue = 1000 * (342 * 0.14 + (608 - 342) * 0.55 + 168 * 2.19)
    return (
        StatedNumber("daily_cost", "USD", 87072, 87072, 1e-9, lambda: cost),
        StatedNumber(
            *("daily_revenue", "USD", 562027, 562100, 0.0005),
            lambda: revenue,
            note="tokens are rounded to billions in the source",
        ),
        StatedNumber(
            *("cost_profit_margin", "x", 5.45, 5.454739, 0.002),
            lambda: (stated_revenue - cost) / cost,
            note="profit over cost; over revenue, as margins usually are, it is 84.5 %",
        ),
        recomputed("gross_margin_on_revenue", "fraction", 0.8450751, lambda: (stated_revenue - cost) / stated_revenue),
        StatedNumber("cache_hit_share", "fraction", 0.563, 0.5625, 0.002, lambda: 342 / 608),
    )


@case("DeepSeek-V3: what its training would cost to rent", "https://github.com/deepseek-ai/DeepSeek-V3", "2024-12")
def deepseek_v3_training() -> tuple[StatedNumber, ...]:
    return (
        StatedNumber("total_cost", "USD", 5576000, 5576000, 1e-9, lambda: 2_788_000 * 2),
        StatedNumber("pretrain_cost", "USD", 5328000, 5328000, 1e-9, lambda: 2_664_000 * 2),
        recomputed("pretrain_days_on_2048", "days", 54.19922, lambda: 2_664_000 / 2048 / 24),
    )


@case(
    "SemiAnalysis ClusterMAX: 4,096 GPUs for 36 months at three kinds of provider",
    "https://www.clustermax.ai/tco",
    "2026",
)
def semianalysis_clustermax_tco() -> tuple[StatedNumber, ...]:
    gold, hyperscaler, silver, months = 5_539_138, 6_989_395, 6_200_693, 36
    return (
        StatedNumber("gold_36m", "USD", 199408973, 199408968, 1e-6, lambda: gold * months),
        StatedNumber("hyperscaler_36m", "USD", 251618208, 251618220, 1e-6, lambda: hyperscaler * months),
        StatedNumber("silver_36m", "USD", 223224957, 223224948, 1e-6, lambda: silver * months),
        StatedNumber("hyperscaler_relative", "x", 1.26, 1.26182, 0.003, lambda: hyperscaler / gold),
        StatedNumber("silver_relative", "x", 1.12, 1.119433, 0.003, lambda: silver / gold),
        StatedNumber("gap_hyperscaler", "USD/month", 1450257, 1450257, 1e-6, lambda: hyperscaler - gold),
        StatedNumber(
            *("silver_gpu_rate_720h", "USD/GPU-h", 2, 2, 1e-6),
            lambda: 5_898_240 / (4096 * 720),
            note="months of 720 hours; 730 would give 1.973",
        ),
    )


@case(
    "Equivalent annual cost of two machines with lives of 3 and 8 years",
    "http://www.nationmaster.com/encyclopedia/Equivalent-Annual-Cost",
    "undated",
)
def eac_textbook_two_machines() -> tuple[StatedNumber, ...]:
    def yearly_usd(price_usd: float, years: float, upkeep_usd: float) -> float:
        return upkeep_usd + float(
            finance.equivalent_annual_usd(present_value_usd=price_usd, rate_per_year=0.05, years=years)
        )

    return (
        StatedNumber("EAC_A", "USD/yr", 31360, 31360.43, 1e-4, lambda: yearly_usd(50_000, 3, 13_000)),
        StatedNumber(
            *("EAC_B", "USD/yr", 30780, 30708.27, 1e-4),
            lambda: yearly_usd(150_000, 8, 7_500),
            error="digits swapped, 30,780 for 30,708",
        ),
    )


@case(
    "Mithril Security: cost of one request to GPT-3.5",
    "https://huggingface.co/spaces/mithril-security/TCO_calculator",
    "2023-09-20",
)
def mithril_hf_tco_request() -> tuple[StatedNumber, ...]:
    request = (0.0015 * 500 + 0.002 * 200) / 1000
    return (
        StatedNumber("cost_per_request", "USD", 0.00115, 0.00115, 1e-9, lambda: request),
        StatedNumber("per_1000", "USD", 1.15, 1.15, 1e-9, lambda: 1000 * request),
    )


@case(
    "theneuralbase: training 7B parameters on 2T tokens with A100",
    "https://theneuralbase.com/llm-fundamentals/learn/advanced/training-cost-estimates/",
    "undated (2026)",
)
def theneuralbase_wrong_training_cost() -> tuple[StatedNumber, ...]:
    flop = 6 * 7e9 * 2e12
    seconds = flop / 312e12
    return (
        StatedNumber(
            *("flops", "FLOP", 8.4e19, 8.4e22, 0.01),
            lambda: flop,
            error="a thousand times too few; six times parameters times tokens is 8.4e22",
        ),
        StatedNumber(
            *("gpu_seconds", "s", 9000000, 269230769, 0.01),
            lambda: seconds,
            error="thirty times too few, after two slips in the exponents, and at full peak rate",
        ),
        StatedNumber(
            *("gpu_days", "days", 104, 3116.097, 0.01),
            lambda: seconds / 86400,
            error="follows from the seconds that are thirty times too few",
        ),
        StatedNumber(
            *("cost", "USD", 7500, 224359, 0.01),
            lambda: seconds / 3600 * 3,
            error="follows from the seconds that are thirty times too few; every chip would have to run at its peak "
            "rate as well",
        ),
    )


@case(
    "Guide to AI data centers: yearly cost of a 1 GW fleet by the life it is written off over",
    "https://aidatacenterguide.com/part-1-strategy-workload-archetypes-and-economics/"
    "1-8-business-models-economics-and-roi",
    "2026",
)
def aidatacenterguide_1gw_depreciation() -> tuple[StatedNumber, ...]:
    return (
        StatedNumber("life_3", "B USD/yr", 12.7, 12.66667, 0.005, lambda: 38 / 3),
        StatedNumber(
            *("life_5", "B USD/yr", 8.5, 7.6, 0.005),
            lambda: 38 / 5,
            error="no straight line over 5 years, which is 7.6, though the bar for 3 years is one; the bars rest on "
            "different costs",
        ),
    )


@case(
    "J. Weinman, Cloudonomics: what renting may cost more, against the ratio of peak to average",
    "https://www.safaribooksonline.com/library/view/cloudonomics-the-business/9781118282885/xhtml/sec90.html",
    "2012",
)
def weinman_cloudonomics_peak_to_average() -> tuple[StatedNumber, ...]:
    rent_usd_day, premium = 200, 20

    def most_busy_share() -> float:
        result = queueing.least_busy_share_to_own(
            own_usd_per_hour=1, running_usd_per_busy_hour=0, rent_usd_per_busy_hour=4
        )
        return float(result.value)

    return (
        StatedNumber("peak_to_average", "x", 30, 30, 1e-9, lambda: 30 / 1),
        recomputed("implied_own_usd_day", "USD/day", 10, lambda: rent_usd_day / premium),
        recomputed("rent_month", "USD", 200, lambda: rent_usd_day * 1),
        recomputed("own_month", "USD", 300, lambda: rent_usd_day / premium * 30),
        recomputed("max_share_of_time_at_peak_for_U4", "fraction", 0.25, most_busy_share),
    )
