"""Two illustrations of our own, recomputed by others: a startup with two GPUs, an enterprise with eighty."""

from tests.published.case import Scene, StatedNumber, case, recomputed
from tests.published.fleets import bought, discounted, rented


@case("Our illustration (a): a startup buys two RTX 4090, or rents them, for trainings of 50 hours", "", "2026-11-21")
def toy_a_startup_2x4090() -> tuple[StatedNumber, ...]:
    own_capex, host_usd, training_hours, power_usd_per_hour = 4_000, 2_500, 50, 1.2 * 0.15
    host_capex, hours_at_4 = own_capex + host_usd, 4 * training_hours
    sold_share = (0.5 * own_capex + 0.3 * host_usd) / host_capex
    pair = Scene(
        accelerator="RTX-4090-24GB",
        work={"accelerators": 2, "busy_share": 1},
        own=bought(2, own_capex, 0),
        rent=rented(0.5),
    )
    each = pair.but(rent=rented(1))
    host, host_each = (
        one.but(own={"capex_usd": host_capex, "running_usd_per_month": power_usd_per_hour * 730})
        for one in (pair, each)
    )
    four, four_each = (
        one.but(work={"busy_share": hours_at_4 / 730}, own={"running_usd_per_month": power_usd_per_hour * hours_at_4})
        for one in (host, host_each)
    )
    two_years = four.but(years=2, own={"residual_share": sold_share})

    def both(name: str, plan: Scene, hours: float) -> tuple[StatedNumber, StatedNumber]:
        return (
            recomputed(f"be_hours_{name}", "h", hours, lambda: plan.payback_months() * 730),
            recomputed(
                *(f"be_trainings_{name}", "trainings", round(hours / training_hours, 5)),
                lambda: plan.payback_months() * 730 / training_hours,
            ),
        )

    return (
        *both("naive_rent_1_per_pair", pair, 4000),
        *both("naive_rent_1_per_gpu", each, 2000),
        recomputed("electricity_per_h", "USD/h", 0.18, lambda: power_usd_per_hour),
        *both("with_host_and_power_pair", host, 7926.829),
        *both("with_host_and_power_per_gpu", host_each, 3571.429),
        recomputed("months_at_4_trainings_per_month_pair", "months", 39.63415, four.payback_months),
        recomputed("months_at_4_trainings_per_month_per_gpu", "months", 17.85714, four_each.payback_months),
        recomputed(
            "cost_24m_own_4_per_month_residual_50pct_gpu_30pct_host", "USD", 4614, lambda: two_years.total_usd("own")
        ),
        recomputed("cost_24m_rent_pair_4_per_month", "USD", 4800, lambda: two_years.total_usd("on_demand")),
        recomputed("trainings_affordable_by_rent", "trainings", 1000, lambda: 50_000 / (1 * training_hours)),
        recomputed("max_trainings_per_month", "trainings/month", 14.6, lambda: 730 / training_hours),
    )


@case("Our illustration (b): an enterprise needs 10,000 GPU-hours a month and would buy 80 GPUs", "", "2026-11-21")
def toy_b_enterprise_80gpus() -> tuple[StatedNumber, ...]:
    gpus, gpu_usd, running, hours = 80, 10_000, 5_000, 10_000
    capex, rent = gpus * gpu_usd, hours * 2
    plan = Scene(
        work={"accelerators": gpus, "accelerator_hours_per_month": hours},
        own=bought(gpus, capex, running),
        rent=rented(2),
    )
    year_end, year_middle, monthly = (
        plan.but(terms=discounted(timing)) for timing in ("year_end", "year_middle", "month_end")
    )

    def right_sized(count: int, opex: str, usd_per_month: float, by_others: float) -> StatedNumber:
        own = bought(count, count * gpu_usd, usd_per_month)
        smaller = plan.but(work={"accelerators": count, "may_wait": True}, own=own)
        metric = f"rightsized_{count}_gpus_be_months_opex_{opex}"
        return recomputed(metric, "months", by_others, smaller.payback_months)

    def rent_that_falls() -> float:
        return sum(12 * rent * (1 - 0.2) ** year for year in range(5))

    ten_years = monthly.but(years=10)
    staffed = plan.but(years=10, own={"running_usd_per_month": running + 0.5 * 150_000 / 12})
    return (
        StatedNumber(
            *("breakeven_years_claim", "years", 5, 4.444444, 0.02),
            lambda: plan.payback_months() / 12,
            error="800,000 over 15,000 a month are 53.3 months, 4.44 years",
        ),
        recomputed(
            "breakeven_months",
            "months",
            53.33333,
            plan.payback_months,
            note="for a fleet that is 17 % busy; 16 or 20 right-sized accelerators pay back within 8 to 11 months",
        ),
        recomputed("fleet_utilisation", "fraction", 0.1712329, lambda: plan.useful_hours() / (gpus * 730 * 60)),
        recomputed("gpus_needed_at_100pct", "GPUs", 13.69863, lambda: plan.useful_hours() / (730 * 60)),
        recomputed("breakeven_utilisation_5y", "fraction", 0.1569635, plan.break_even_busy_share),
        recomputed(
            "own_cost_per_used_gpu_hour_5y", "USD/GPU-h", 1.833333, lambda: plan.measures().usd_per_useful_hour.value
        ),
        recomputed("own_5y", "USD", 1100000, lambda: plan.total_usd("own")),
        recomputed("rent_5y", "USD", 1200000, lambda: plan.total_usd("on_demand")),
        recomputed("npv_10pct_annual", "USD", -117658.4, year_end.npv_usd),
        recomputed("npv_10pct_mid_year", "USD", -84354.07, year_middle.npv_usd),
        recomputed("npv_10pct_monthly", "USD", -86922.5, monthly.npv_usd),
        recomputed("irr_5y", "per year", 0.04059071, year_end.irr),
        recomputed("irr_4y", "per year", -0.04085153, year_end.but(years=4).irr),
        recomputed("discounted_payback_10pct_monthly", "months", 70, lambda: float(ten_years.measures().payback.month)),
        recomputed("eac_own_10pct", "USD/yr", 271038, lambda: year_end.measures("own", "own").eac_usd_per_year),
        recomputed("residual_needed_for_npv0_10pct", "USD", 189490, lambda: -year_end.npv_usd() * 1.1**5),
        right_sized(20, "scaled", running * 20 / gpus, 10.66667),
        right_sized(20, "5k", running, 13.33333),
        right_sized(16, "scaled", running * 16 / gpus, 8.421053),
        recomputed("rent_5y_with_20pct_annual_decline", "USD", 806784, rent_that_falls),
        recomputed("power_only_80x0.6kW_pue1.4_0.10", "USD/month", 4905.6, lambda: gpus * 0.6 * 1.4 * 0.10 * 730),
        recomputed("be_months_with_half_fte_and_power", "months", 91.42857, staffed.payback_months),
        recomputed("capex_with_server_1.64_and_19pct_network", "USD", 1619753, lambda: capex * 1.64 / (1 - 0.19)),
    )
