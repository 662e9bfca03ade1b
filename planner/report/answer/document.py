"""A plan and its answer as the document that programs read: filled from what the page and the files show."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from planner.money.ledger import Ledger, Origin
from planner.money.measures import cash_paid_usd, plan_discount_rate
from planner.money.old_figures import old_figures
from planner.money.owned_fleet import purchase_orders
from planner.money.plan import Plan
from planner.money.renting.offer_inputs import estimated_prices
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import RENT, BreakEven, ledger_input_value
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report.answer.advice import describe_overdue_figure, old_figure_label
from planner.report.answer.other_measures import OtherMeasures
from planner.report.answer.plan_report import PlanReport, conventions, not_counted, warnings
from planner.report.answer.profit_words import profit_document
from planner.report.answer.side_by_side import differences
from planner.report.answer.tables import INPUTS, by_year
from planner.report.files import answer_schema as schema
from planner.report.files import document_parts as parts
from planner.report.files.csv import scenario_id
from planner.report.forms import scalar, scalar_reason
from planner.report.futures.counted import buy_or_wait_sentences, simulated_break_even
from planner.report.speed.training_words import hours_to_train
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.measures import EMISSIONS, MEASURES, OptionResult, results_of
from planner.study.uncertainty.futures import Futures, PercentileBand
from pricing.orderable import sales


def comparison_json(plans: Sequence[PlanReport]) -> dict[str, Any]:
    """The document of several plans side by side, as JSON has it."""
    differ = tuple(schema.InputDifferenceSchema(input=key, values=values) for key, values in differences(plans))
    document = schema.ComparisonSchema(plans=tuple(answer_document(report) for report in plans), differences=differ)
    return document.model_dump(mode="json")


def answer_document(report: PlanReport) -> schema.AnswerSchema:
    """Everything about one plan."""
    plan, answer, summary = report.plan, report.answer, report.summary
    return schema.AnswerSchema(
        **_question(report),
        verdict=answer.verdict,
        title=summary.title,
        sentences=(*summary.sentences, *summary.turns),
        about=report.about,
        best=_key(answer.best),
        against=_key(answer.against),
        compared=() if answer.pair is None else (answer.pair[0].option.key, answer.pair[1].option.key),
        own=_key(answer.own),
        rent=_key(answer.rent),
        baseline=_key(answer.baseline),
        gap_share=_number(answer.gap_share),
        share_cheaper=answer.share_cheaper,
        limit=None if answer.limit is None else answer.limit.message,
        turned_by_timing=answer.turned_by_timing,
        missing=answer.missing,
        options=tuple(_option(result) for result in results_of(plan, answer, report.futures)),
        not_offered=tuple(
            schema.UnavailableOptionSchema(way=absent.way, label=WAYS[absent.way].name, reason=absent.reason)
            for absent in plan.absent
        ),
        break_evens=tuple(_break_even(turn, answer, report.futures) for turn in answer.break_evens),
        rent_changes=tuple(_rent_changes(answer)),
        futures=None if report.futures is None else _futures_cells(answer, report.futures),
        waiting=None if report.waits is None else buy_or_wait_json(*report.waits),
        also=None if report.also is None else _also(report.also),
        warnings=warnings(plan, answer),
        old_figures=tuple(
            parts.OldFigureSchema(
                name=figure.name,
                label=old_figure_label(figure),
                option=figure.option.key,
                bills_share=figure.share,
                checked=figure.figure.checked,
                age_days=figure.age_days,
                limit_days=figure.limit_days,
                source=figure.origin.source,
                source_url=figure.origin.url,
                sentence=describe_overdue_figure(figure),
            )
            for figure in old_figures(answer)
        ),
        not_counted=not_counted(plan, answer),
        conventions=conventions(plan),
    )


def _also(measures: OtherMeasures) -> parts.ExtraSchema:
    return parts.ExtraSchema(
        sentences=measures.sentences,
        numbers=tuple(
            parts.OtherMeasureSchema(
                name=row.name, option=row.option, label=row.label, value=row.value, unit=row.unit, how=row.how
            )
            for row in measures.rows
        ),
        use_and_years=tuple(
            parts.UtilizationByYearsSchema(
                years=point.years,
                hours_per_month=None if point.busy_share is None else point.busy_share * measures.hours_per_month,
                busy_share=point.busy_share,
                first_wins_when_full=point.first_wins_when_full,
            )
            for point in measures.curve
        ),
    )


def _question(report: PlanReport) -> dict[str, Any]:
    plan = report.plan
    setting, scenario, catalogue = plan.setting, plan.setting.scenario, plan.setting.catalogue
    shown, chip = setting.currency, catalogue.accelerators.get(scenario.accelerator)
    return {
        "file": report.name,
        "name": scenario.name,
        "scenario_id": scenario_id(plan),
        "scenario": setting.written.model_dump(mode="json", exclude_defaults=True),
        "day": setting.day,
        "catalogue_day": catalogue.day,
        "catalogue_digest": catalogue.digest,
        "accelerator_id": scenario.accelerator,
        "accelerator": scenario.accelerator if chip is None else chip.label,
        "accelerators_at_once": setting.demand.all.peak_accelerators if plan.options else None,
        "site_id": scenario.site,
        "site": catalogue.sites[scenario.site].label if scenario.site in catalogue.sites else scenario.site,
        "years": scenario.years,
        "discount_rate_per_year": float(np.asarray(plan_discount_rate(setting))),
        "timing": setting.terms.timing,
        "money": setting.terms.money,
        "hours_per_month": setting.terms.hours_per_month,
        "currency": None
        if shown is None or shown.usd_per_unit is None or shown.day is None
        else parts.CurrencySchema(code=shown.code, usd_per_unit=shown.usd_per_unit, day=shown.day),
        "time_to_train_hours": hours_to_train(setting.resolved),
    }


def _key(way: EvaluatedOption | None) -> str | None:
    return None if way is None else way.option.key


def _number(value: ArrayLike | None) -> float | None:
    """A number, or None where there is none; nothing has no sign."""
    return None if value is None else scalar(np.asarray(value) + 0.0)


def _reason(value: float | None, reason: ArrayLike) -> str | None:
    return None if value is not None else scalar_reason(reason)


def _option(result: OptionResult) -> schema.OptionSchema:
    plan, way, option = result.plan, result.way, result.way.option
    offer, rate = _offer(plan, way), ledger_input_value(RENT, option.ledger)
    reasons = {measure.name: reason for measure in MEASURES if (reason := measure.reason(result)) is not None}
    return schema.OptionSchema(
        key=option.key,
        way=option.way,
        side=WAYS[option.way].side,
        label=option.title,
        what=option.what,
        accelerators=option.accelerators,
        orders=purchase_orders(plan.setting, option),
        useful_accelerator_hours=float(np.broadcast_to(option.useful_hours, plan.setting.timeline.runs.shape).sum()),
        offer=offer,
        usd_per_accelerator_hour=None if rate is None else rate[0],
        oldest_figure_checked=min(_checked(option.ledger), default=None),
        **{measure.name: measure.number(result) for measure in MEASURES if not measure.part},
        reasons=reasons,
        return_reason=reasons.get("return_per_year"),
        payback_reason=reasons.get("payback_months"),
        cash_by_year_usd=tuple(by_year(cash_paid_usd(option.ledger))),
        emissions=schema.Emissions(
            **{measure.name: measure.number(result) for measure in MEASURES if measure.part == EMISSIONS},
            grid=result.emitted.where,
            notes=result.emitted.notes,
        ),
        profit_and_loss=profit_document(plan, way),
        is_complete=not way.measures.unpriced,
        not_priced=way.measures.unpriced,
        warnings=option.warnings,
        lines=tuple(_lines(option.ledger)),
    )


def _offer(plan: Plan, way: EvaluatedOption) -> schema.OfferSchema | None:
    catalogue, key = plan.setting.catalogue, WAYS[way.option.way].offer(plan.setting.offers)
    if key is None:
        return None
    offer = catalogue.offers[key]
    figure, worth, sold = (
        offer.usd_per_accelerator_hour,
        estimated_prices(plan.setting, (key,)).at(0),
        sales(catalogue)[key],
    )
    return schema.OfferSchema(
        id=key,
        provider_id=offer.provider,
        provider=catalogue.providers[offer.provider].label,
        accelerator_id=offer.accelerator,
        accelerators_per_machine=offer.accelerators_per_instance,
        purchase=offer.purchase,
        region=offer.region,
        sku=offer.sku,
        usd_per_accelerator_hour=None if figure is None else figure.newest.typical,
        today_usd_per_accelerator_hour=_number(worth.typical),
        today_usd_low=_number(worth.low),
        today_usd_high=_number(worth.high),
        still_there_share=_number(worth.available),
        sold_as=sold.kind,
        most_accelerators_at_once=sold.most.accelerators,
        most_is_assumed=sold.most.assumed,
        price_since=None if figure is None else figure.since,
        price_checked=None if figure is None else figure.checked,
        source_url=None if figure is None else catalogue.sources[figure.newest.source].url,
    )


def _checked(ledger: Ledger) -> Iterator[date]:
    """The days on which somebody last looked at the figures of a ledger."""
    for line in ledger.lines:
        for used in line.used:
            where = used.origin if isinstance(used.origin, Origin) else used.origin(0)
            if where.checked is not None:
                yield where.checked


def _lines(ledger: Ledger) -> Iterator[schema.LineSchema]:
    """The lines on which money moves, or would if somebody published a price."""
    for line in ledger.lines:
        usd = np.broadcast_to(line.usd, ledger.monthly_usd.shape)
        if np.any(usd != 0):
            years, total = tuple(map(_number, by_year(usd))), _number(usd.sum())
            yield schema.LineSchema(
                name=line.name, part=line.part, is_cash=line.is_cash, total_usd=total, by_year_usd=years
            )


def _break_even(turn: BreakEven, answer: Answer, futures: Futures | None) -> schema.BreakEvenSchema:
    value, is_simulated = _number(turn.value), turn.name in ("busy_share", RENT)
    simulated = simulated_break_even(answer, futures, turn.name) if is_simulated else None
    return schema.BreakEvenSchema(
        name=turn.name,
        label=INPUTS[turn.name][0],
        unit=turn.unit,
        you=_number(turn.you),
        value=value,
        achievable=_number(turn.achievable),
        reason=_reason(value, str(turn.reason)),
        in_futures=None
        if simulated is None
        else schema.SimulatedBreakEvenSchema(share_with_one=simulated.share, **_ends(simulated.band)),
    )


def _rent_changes(answer: Answer) -> Iterator[schema.RentChangeSchema]:
    for change, today, plain in answer.payback_by_rent_change:
        months = _number(plain.months)
        yield schema.RentChangeSchema(
            change_per_year=change, payback_months=months, payback_discounted_months=_number(today.months),
            reason=_reason(months, plain.reason),
        )  # fmt: skip


def _ends(band: PercentileBand | None) -> dict[str, float | None]:
    ends = (None, None, None) if band is None else (band.low, band.middle, band.high)
    return dict(zip(("p10", "p50", "p90"), ends, strict=True))


def _futures_cells(answer: Answer, futures: Futures) -> schema.FuturesSchema:
    keys = [way.option.key for way in (answer.own, answer.rent) if way and futures.row(way.option.key) is not None]
    pair = (keys[0], keys[1]) if len(keys) == 2 else None
    saved = None if pair is None else np.quantile(futures.saved_usd(*pair), (0.1, 0.5, 0.9)).tolist()
    return schema.FuturesSchema(
        count=futures.count,
        seed=futures.plan.setting.scenario.seed,
        own_cheaper_than_rent_share=None if pair is None else futures.share_cheaper(*pair),
        own_saves_usd=None if saved is None else schema.BandSchema(p10=saved[0], p50=saved[1], p90=saved[2]),
        own_saves_usd_dots=() if pair is None else tuple(futures.dots(*pair).tolist()),
        deadline_met_share=futures.deadline_share,
        inputs=tuple(
            schema.UncertainInputSchema(
                name=it.name, unit=it.unit, low=it.spread.low, typical=it.spread.typical, high=it.spread.high,
                kind=it.kind, source=it.source, reason=it.reason,
            )
            for it in futures.inputs
        ),
    )  # fmt: skip


def buy_or_wait_json(result: Waiting | BuyOrWaitUnavailable, futures: BuyOrWaitFutures | None) -> schema.WaitingSchema:
    """Buying today or later, month by month; why there is nothing to put off stands in the sentences."""
    sentences = buy_or_wait_sentences(result, futures)
    if isinstance(result, BuyOrWaitUnavailable):
        return schema.WaitingSchema(
            sentences=sentences, best_month=None, never_usd=None, never_cheaper_share=None, futures=None, months=()
        )
    return schema.WaitingSchema(
        sentences=sentences,
        best_month=result.best_month,
        never_usd=result.never_usd,
        never_cheaper_share=None if futures is None else futures.never_buy_share,
        futures=None if futures is None else futures.count,
        months=tuple(_month(result, futures, at) for at in range(len(result.months))),
    )


def _month(result: Waiting, futures: BuyOrWaitFutures | None, at: int) -> schema.OrderMonthSchema:
    def of(name: str) -> float | None:
        return None if futures is None else float(getattr(futures, name)[at])

    return schema.OrderMonthSchema(
        month=result.months[at],
        present_usd=float(result.present_usd[at]),
        present_low_usd=of("low_usd"),
        present_high_usd=of("high_usd"),
        worth_usd=float(result.value_usd[at]),
        worth_p10_usd=of("value_low_usd"),
        worth_p90_usd=of("value_high_usd"),
        saved_on_machines_usd=float(result.gain_usd[at]),
        rent_meanwhile_usd=float(result.cost_usd[at]),
        cheaper_than_today_share=of("share_cheaper"),
    )
