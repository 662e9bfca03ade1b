"""Published cases that plan a fleet: owned against rented."""

from math import ceil, floor

from tests.published.case import Scene, StatedNumber, case, catalogue, recomputed


def bought(accelerators: float, capex_usd: float, usd_per_month: float, **more: float) -> dict[str, float]:
    """Return what is owned: a purchase and what running it costs a month."""
    return {
        "accelerators": accelerators, "capex_usd": capex_usd, "running_usd_per_month": usd_per_month, **more,
    }  # fmt: skip


def rented(usd_per_hour: float) -> dict[str, float]:
    return {"usd_per_accelerator_hour": usd_per_hour}


def discounted(timing: str, rate: float = 0.1) -> dict[str, float | str]:
    """Return the terms of a discount rate and the timing of payments."""
    return {"discount_rate_per_year": rate, "timing": timing}


@case(
    "Lenovo LP2225 (2025): one server with 8 H100 NVL against AWS p5.48xlarge",
    "https://lenovopress.lenovo.com/lp2225-on-premise-vs-cloud-generative-ai-total-cost-of-ownership",
    "2025-05-23",
)
def lenovo_lp2225_h100_breakeven() -> tuple[StatedNumber, ...]:
    month_hours = 720  # the source counts months of 30 days; 730 gives 11.72 instead of 11.9

    def against(cloud_usd_per_hour: float) -> Scene:
        return Scene(
            work={"accelerators": 8, "busy_share": 1},
            own=bought(8, 833_806, 0.87 * month_hours),
            rent=rented(cloud_usd_per_hour / 8),
            terms={"hours_per_month": month_hours},
        )

    on_demand, one_year, three_years = against(98.32), against(77.43), against(53.95)
    idle = "idle hours of the reservation would be billed too; here none are idle"
    return (
        StatedNumber(
            *("breakeven_hours_on_demand", "h", 8556, 8556.244, 0.0005),
            lambda: on_demand.payback_months() * month_hours,
        ),
        StatedNumber(
            *("breakeven_months_on_demand", "months of 720 h", 11.9, 11.88367, 0.003),
            on_demand.payback_months,
            note="months of 720 hours",
        ),
        StatedNumber(
            *("breakeven_hours_1y_reserved", "h", 10890, 10890.88, 0.0005),
            lambda: one_year.payback_months() * month_hours,
            note=idle,
        ),
        StatedNumber(
            *("breakeven_hours_3y_reserved", "h", 15710, 15708.48, 0.0005),
            lambda: three_years.payback_months() * month_hours,
        ),
        StatedNumber("llama31_training_cloud_cost", "USD", 483e6, 482997000, 0.001, lambda: 39.3e6 * 98.32 / 8),
    )


def _written_off(capex: float) -> tuple[StatedNumber, ...]:
    def share(schedule: str, year: int) -> float:
        return catalogue().schedules[schedule].shares_by_year[year - 1]

    return (
        StatedNumber("macrs_year2_deduction", "USD", 80000, 80000, 1e-4, lambda: capex * share("macrs-5-half-year", 2)),
        StatedNumber("macrs_year6_deduction", "USD", 14400, 14400, 1e-4, lambda: capex * share("macrs-5-half-year", 6)),
        StatedNumber(
            *("bonus_depreciation_tax_benefit_21pct", "USD", 52500, 52500, 1e-4),
            lambda: 0.21 * capex * share("bonus-100", 1),
        ),
    )


@case(
    "Alpha One Index: framework for buying or renting, with worked tables",
    "https://github.com/alpha-one-index/ai-infra-index/blob/main/specs/buy-vs-rent-decision-framework.md",
    "2026-03-16",
)
def alpha_one_index_buy_vs_rent() -> tuple[StatedNumber, ...]:
    gpus, kw, pue, usd_per_kwh, table_capex = 8, 8 * 0.7, 1.4, 0.1, 250_000

    def at(hours_a_day: float, cloud_usd_per_hour: float = 33) -> Scene:
        return Scene(
            years=10,
            work={"accelerators": gpus, "busy_share": hours_a_day / 24},
            own=bought(gpus, 833_806, 0.87 * 730 * hours_a_day / 24),
            rent=rented(cloud_usd_per_hour / gpus),
        )

    day = at(24)
    measured_power = {"accelerators_per_server": gpus, "rated_w_per_server": kw * 1000, "pue": pue}
    one_year = day.but(years=1, own={"running_usd_per_month": None, **measured_power, "usd_per_kwh": usd_per_kwh})
    storage, egress = 100 * 1000 * 0.023, 50 * 1000 * 0.085
    running = 8760 * 0.87 + 50_000 + 8_000  # power, a quarter of a person, network; upkeep is added below

    return (
        StatedNumber("breakeven_hours_at_33", "h", 25942, 25951.01, 0.001, lambda: day.payback_months() * 730),
        StatedNumber(
            *("breakeven_years_8h_per_day_98", "years", 2.9, 2.930221, 0.02), lambda: at(8, 98.32).payback_months() / 12
        ),
        *(
            StatedNumber(
                *(f"breakeven_years_{hours}h_per_day_33", "years", stated, by_others, 0.02),
                lambda plan=plan: plan.payback_months() / 12,
                error=f"divided by more hours than {hours} a day have; 25,951 h at {hours * 365:,} h a year are "
                f"{by_others:.1f} years",
            )
            for hours, stated, by_others, plan in ((12, 4.8, 5.924888, at(12)), (16, 3.6, 4.443666, at(16)))
        ),
        StatedNumber(
            *("hidden_cost_gpu_month", "USD/month", 36024, 12069.33, 0.02),
            lambda: at(16).but(rent=rented(3.1)).month_usd("on_demand", 1),
            error="three times too high; it would take 48 hours a day",
        ),
        StatedNumber(
            *("hidden_cost_total_month", "USD/month", 46176, 46176.4, 0.001),
            lambda: 36_024 * (1 + 0.1) + storage + egress,
            note="adds up, from a wrong line for the GPUs",
        ),
        StatedNumber(
            *("energy_8x700W_pue1.4_at_0.10_year", "USD/year", 33600, 6867.84, 0.02),
            lambda: one_year.part_usd("own", "power"),
            error="five times too high for the formula printed beside it",
        ),
        StatedNumber("energy_hourly_incl_server", "USD/h", 1.06, 1.064, 0.005, lambda: (kw + 2) * pue * usd_per_kwh),
        StatedNumber(
            *("five_year_cumulative_own", "USD", 601105, 601106, 0.0005),
            lambda: table_capex + 5 * running + 3000 + 4 * 5000,
        ),
        StatedNumber(
            *("savings_36m", "USD", 1770000, 1766966, 0.005),
            lambda: 2_619_346 - 852_380,
            note="difference of two rows; the table marks the crossing at month 18 though its rows cross in month 12",
        ),
        *_written_off(table_capex),
    )


@case(
    "randomcalculators.com: own hardware against cloud GPUs, worked example",
    "https://www.randomcalculators.com/computer-science-data/ai-infrastructure-llm-economics/"
    "ai-infrastructure-total-cost-of-ownership-on-prem-vs-cloud-gpu-calculator",
    "undated (seen 2026)",
)
def randomcalculators_onprem_vs_cloud() -> tuple[StatedNumber, ...]:
    gpus, hours, months = 8, 400, 4 * 12
    capex = gpus * 35_000 * (1 + 0.4)
    running = gpus * 0.7 * hours * 1.4 * 0.12 + 3_000
    cloud = gpus * hours * 4.5
    plan = Scene(
        years=4,
        work={"accelerators": gpus, "accelerator_hours_per_month": gpus * hours},
        own=bought(gpus, capex, running),
        rent=rented(4.5),
    )
    return (
        StatedNumber(
            *("verdict", "text", "cloud; owning never pays back", None, 0.005),
            plan.cheaper,
            error="says that the cloud is cheaper, but by its own formula owning costs 2,857 USD a month less, "
            "and pays back",
        ),
        recomputed("capex", "USD", 392000, lambda: plan.month_usd("own", 0)),
        recomputed(
            "own_month", "USD/month", 11542.99, lambda: plan.month_usd("own", 1) + plan.month_usd("own", 0) / months
        ),
        recomputed("cloud_month", "USD/month", 14400, lambda: plan.month_usd("on_demand", 1)),
        recomputed(
            "breakeven_months_their_formula",
            "months",
            137.2062,
            lambda: capex / (cloud - (running + capex / months)),
            note="their formula counts the purchase twice, as depreciation and as a sum; the engine gives 35.6",
        ),
        recomputed("breakeven_months_correct_cash_formula", "months", 35.55981, plan.payback_months),
    )


@case(
    "legitlads.com: return on 64 accelerators over 4 years at 70 % use",
    "https://www.legitlads.com/hub/tools/ai/ai-hardware/accelerator-roi-calculator/",
    "undated (seen 2026)",
)
def legitlads_accelerator_roi() -> tuple[StatedNumber, ...]:
    capex = 1_920_000
    plan = Scene(
        years=4, work={"accelerators": 64, "busy_share": 0.7}, own=bought(64, capex, 728_681 / (12 * 4)), rent=rented(2)
    )
    year_end, year_middle, monthly = (
        plan.but(terms=discounted(timing)) for timing in ("year_end", "year_middle", "month_end")
    )
    return (
        StatedNumber("cloud_total", "USD", 3139584, 3139584, 1e-6, lambda: plan.total_usd("on_demand")),
        StatedNumber("own_total", "USD", 2648681, 2648681, 1e-6, lambda: plan.total_usd("own")),
        StatedNumber("saving", "USD", 490903, 490903, 1e-6, plan.saving_usd),
        StatedNumber("roi_on_capex", "x", 0.26, 0.2556786, 0.02, lambda: plan.saving_usd() / capex),
        StatedNumber("payback_years", "years", 3.2, 3.185528, 0.01, lambda: plan.payback_months() / 12),
        StatedNumber(
            *("npv_10pct_end_of_year", "USD", -9440, -9440.471, 0.001),
            year_end.npv_usd,
            note="negative here, positive monthly and in mid-year; the convention alone turns the sign",
        ),
        StatedNumber("breakeven_utilization", "fraction", 0.59, 0.5905485, 0.002, plan.break_even_busy_share),
        recomputed("irr", "per year", 0.09772657, year_end.irr),
        recomputed("npv_10pct_mid_year", "USD", 83811.74, year_middle.npv_usd),
        recomputed("npv_10pct_monthly", "USD", 76620.14, monthly.npv_usd),
        StatedNumber(
            *("verdict", "text", "buy", None, 0),
            year_end.verdict,
            error="says buy beside its own negative net present value; the two are close, and the timing of money "
            "turns the sign",
        ),
    )


@case(
    "chanthaphan/gpu-tco: H200 fleet for 10 million tokens a minute against Azure, 5 years",
    "https://github.com/chanthaphan/gpu-tco",
    "2026-07-10",
)
def chanthaphan_gpu_tco_h200_10mtpm() -> tuple[StatedNumber, ...]:
    years, node_usd, network_usd, spares_usd = 5, 340_000, 1_600_000, 1_000_000
    node_tokens_per_s = 2_200 * 8

    def nodes(tokens_per_minute_m: float, speed_factor: float = 0.8) -> int:
        return ceil(tokens_per_minute_m * (1e6 / 60 / (70 / 100)) / (node_tokens_per_s * speed_factor))

    gpus = nodes(10) * 8
    servers_usd = nodes(10) * node_usd
    upkeep_usd_per_year = 10 / 100 * (servers_usd + network_usd) + spares_usd / years
    azure = 110.24 / 8 * (1 + 0.075)
    plan = Scene(
        years=years,
        work={"accelerators": gpus, "busy_share": 1},  # the source runs the rented fleet day and night as well
        own={
            "accelerators": gpus,
            "usd_per_server": node_usd,
            "accelerators_per_server": 8,
            "usd_per_accelerator_of_network": network_usd / gpus,
            "rated_w_per_server": 10.2 * 1000,
            "usd_per_kw_month": 200,
            "usd_per_kwh": 0.13,
            "pue": 1.5,
            "fte_per_accelerator": 4 / gpus,
            "usd_per_fte_year": 45_000,
            # network, storage and spares on top of the servers'
            "maintenance_share_per_year": upkeep_usd_per_year / servers_usd,
        },
        rent=rented(azure),
    )
    one_year, three_years = (plan.but(rent=rented(azure * (1 - off))) for off in (0.35, 0.55))
    return (
        StatedNumber("nodes", "nodes", 17, 17, 0, lambda: nodes(10)),
        StatedNumber("gpus", "GPUs", 136, 136, 0, lambda: plan.option("own").accelerators),
        StatedNumber("own_5y", "USD", 16500000, 16531809, 0.003, lambda: plan.total_usd("own")),
        StatedNumber("nodes_if_tpm20", "nodes", 34, 34, 0, lambda: nodes(20)),
        StatedNumber("nodes_glm45_anchor", "nodes", 14, 14, 0, lambda: nodes(10, 1)),
        recomputed("capex", "USD", 7380000, lambda: plan.month_usd("own", 0)),
        recomputed("electricity_5y", "USD", 1481009, lambda: plan.part_usd("own", "power")),
        recomputed("colo_5y", "USD", 2080800, lambda: plan.part_usd("own", "space")),
        recomputed("maintenance_5y", "USD", 3690000, lambda: plan.part_usd("own", "upkeep") - spares_usd),
        recomputed("azure_payg_5y", "USD", 88241057, lambda: plan.total_usd("on_demand")),
        recomputed("azure_ri3_5y", "USD", 39708476, lambda: three_years.total_usd("on_demand")),
        recomputed("breakeven_payg", "months", 5.598738, plan.payback_months),
        recomputed("breakeven_ri1", "months", 9.185792, one_year.payback_months),
        recomputed("breakeven_ri3", "months", 14.49111, three_years.payback_months),
        StatedNumber(
            *("derived_tpm_300k_dau", "M tok/min", 10, 10, 1e-9),
            lambda: 300_000 * 8 * 2000 * 3 / 1440 / 1e6,
            note="users a day, requests each, tokens each and peak factor are the source's defaults",
        ),
    )


@case("QumulusAI and USD.AI script: own with a loan of 70 % at 15 %, or rent, 3 years", "", "undated (2025)")
def usdai_financed_own_vs_rent() -> tuple[StatedNumber, ...]:
    value_usd, years, rate_per_month = 100_000_000, 3, 0.15 / 12
    gpus = value_usd / 30_000
    whole_gpus = floor(gpus)
    plan = Scene(
        years=years,
        ways=("own", "loan", "on_demand"),
        work={"accelerators": whole_gpus, "busy_share": 1},
        own=bought(whole_gpus, value_usd, value_usd * 0.183 / 12),
        loan={"loan_share": 0.7, "rate_per_year": (1 + rate_per_month) ** 12 - 1, "years": years},
        rent=rented(2.5 * gpus / whole_gpus),  # a third of an accelerator is not rented
    )
    mild, steep = (plan.but(own={"residual_share": (1 - loss) ** years}) for loss in (0.2, 0.4))

    def payment() -> float:
        return plan.month_usd("loan", 1) - plan.month_usd("own", 1)

    return (
        StatedNumber(
            *("cash_out_low_claim", "USD", 117000000, 172256628, 0.02),
            lambda: plan.total_usd("loan"),
            error="the text gives a range, but the code has one cash flow, 172.3 million in every case",
        ),
        StatedNumber("cash_out_high_claim", "USD", 172000000, 172256628, 0.02, lambda: plan.total_usd("loan")),
        recomputed("rent_total", "USD", 219000000, lambda: plan.total_usd("on_demand")),
        recomputed("monthly_payment", "USD/month", 2426573, payment),
        recomputed("interest", "USD", 17356628, lambda: plan.saving_usd("own", "loan")),
        StatedNumber("asset_low_claim", "USD", 22000000, 21600000, 0.03, lambda: -steep.part_usd("loan", "resale")),
        StatedNumber("asset_high_claim", "USD", 51000000, 51200000, 0.01, lambda: -mild.part_usd("loan", "resale")),
        StatedNumber(
            *("saving_low_claim", "USD", 16000000, 68343372, 0.02),
            lambda: steep.saving_usd("loan"),
            error="typed into the text, not computed; the code gives 68.3 million",
        ),
        StatedNumber(
            *("saving_high_claim", "USD", 73000000, 97943372, 0.02),
            lambda: mild.saving_usd("loan"),
            error="typed into the text, not computed; the code gives 97.9 million",
        ),
    )


@case(
    "ComputeSpec: ten runs of 20 minutes, billed by the second or by the hour",
    "https://computespec.pages.dev/learn/pricing/cloud-gpu-pricing-explained",
    "2026",
)
def computespec_billing_granularity() -> tuple[StatedNumber, ...]:
    runs, hours = 10, 20 / 60
    second = Scene(
        years=1,
        ways=("on_demand",),
        work={"accelerators": 1, "accelerator_hours_per_month": runs * 20 / 60},
        rent={**rented(3), "hours_per_session": hours},
    )
    hour = second.but(rent={"billing_increment_s": 3600})
    return (
        StatedNumber("per_second", "USD", 10, 10, 1e-9, lambda: second.month_usd("on_demand", 1)),
        StatedNumber("per_hour", "USD", 30, 30, 1e-9, lambda: hour.month_usd("on_demand", 1)),
        StatedNumber(
            "ratio", "x", 3, 3, 1e-9, lambda: hour.month_usd("on_demand", 1) / second.month_usd("on_demand", 1)
        ),
    )


@case(
    "dstack issue 1553: an offer's price without its disk",
    "https://github.com/dstackai/dstack/issues/1553",
    "2024-08-14",
)
def dstack_gcp_disk_not_in_price() -> tuple[StatedNumber, ...]:
    plan = Scene(
        years=1,
        ways=("on_demand",),
        work={"accelerators": 1, "busy_share": 1, "storage_tb": 32_768 / 1000},
        rent={**rented(0.04947), "usd_per_gb_month_of_disk": 0.1},
    )
    return (StatedNumber("true_hourly", "USD/h", 4.54, 4.538237, 0.001, lambda: plan.month_usd("on_demand", 1) / 730),)
