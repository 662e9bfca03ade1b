"""Views of the Answer page: payback, options, cash, the best mix, orders, other measures, advice."""

from collections.abc import Iterable, Sequence

import streamlit as st

from planner.money.ledger import Ledger
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Money
from planner.money.verdict.answer import Answer
from planner.report import charts, mix_report, words
from planner.report.answer import feasibility, tables
from planner.report.answer import other_measures as measures_report
from planner.report.answer.advice import HEAD, unavailable_option_lines
from planner.report.answer.other_measures import OtherMeasures, curve_table, other_measures_table
from planner.report.answer.payback_chart import charted_options, payback_chart, payback_summary
from planner.report.futures import counted, future_charts
from planner.report.futures.input_words import saving_side_label
from planner.report.title import USD_FETCHED, USD_PAID, fleet_timeline
from planner.report.what_if import map_summary
from planner.scenario.presets import PresetSource, load_presets
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting, buy_or_wait_futures, waiting
from planner.study.measures import MEASURES
from planner.study.mix.best_mix import MixUnavailable, best_mix
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import median_shifts
from planner.web import address, ask, show, show_ledger, state, workers
from planner.web.shared import shared
from planner.web.state import PlanResult

_FEWEST_ORDERS = 2  # orders to draw
_INPUTS = "Simulated inputs, their ranges and sources"


def _option_columns() -> dict[str, object]:
    columns: dict[str, object] = {"Option": st.column_config.TextColumn(width=180)}
    for measure in (measure for measure in MEASURES if measure.label):
        column = st.column_config.NumberColumn(
            measure.heading or None, format=measure.format, help=measure.help or None
        )
        units = ("kg ", "t ") if measure.unit == "kg" else ("",)
        columns |= {f"{unit}{measure.label}": column for unit in units}
    return columns


_OPTION_COLUMNS = _option_columns()


def payback(answer: Answer) -> None:
    """Show when it pays back: the two options that are compared with their ranges, or every one."""
    finding, count = payback_summary(answer), len(answer.ranked)
    every = False
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.markdown(finding), width="stretch")
        if count > len(charted_options(answer, every=False)):
            address.switch("every_way")
            every = st.toggle(f"Show all {count} options", key="every_way")
    chart = payback_chart(state.result().answer, state.dark(), every=every, pins=state.session().pinned)
    show.chart(chart, f"{finding} {_ranking(answer)}.", "cumulative")
    _cash(answer)
    _orders(answer)


def confidence(answer: Answer, futures: Futures | None) -> None:
    """Show fifty dots, each two of a hundred simulated futures; every option in all of them; the inputs drawn."""
    figure = state.futures_figure()
    if figure is None or futures is None:
        st.markdown("Only one option has a price, so there is no comparison to simulate.")
        return
    finding = counted.saving_summary(answer, futures)
    show.paragraph(finding)
    show.chart(figure, finding, "sure")
    table = counted.futures_table(answer, futures)
    columns = dict.fromkeys(table.columns[2:], show.MONEY) | {"Cheapest, of 100 futures": show.OF_100}
    show.table("futures", "", table, columns, "futures.csv", alt=finding)
    if shifts := _median_shifts(answer, futures):
        st.markdown("**Where the median is not the cost as entered**")
        show.table("medians", "", counted.medians_table(answer, shifts), show.in_usd, "medians.csv", alt="Why")
    show.table("futures-inputs", _INPUTS, lambda: counted.inputs_table(futures), file="futures-inputs.csv", alt=_INPUTS)


_median_shifts = shared(64, key=lambda answer, _: (answer.plan,))(median_shifts)


def late() -> PlanResult | None:
    """Return the plan of this run without its deadline, where being late is all that is wrong with it."""
    undated = feasibility.without_deadline(state.result().plan.setting.resolved)
    return None if undated is None else state.result(undated)


def late_notice() -> None:
    """Say that the numbers below are those of a plan that is late, and by how much."""
    resolved = state.result().plan.setting.resolved
    if resolved is not None:
        st.warning(words.markdown(feasibility.late_plan_text(resolved)), icon=":material/schedule:")


def every_option(result: PlanResult) -> None:
    """Show every option as a bar over its range and with its measures; on demand, measures of the plan."""
    show.chart(state.ranges_figure(result.answer, state.dark()), f"{_ranking(result.answer)}.", "ranges")
    options(result)
    with show.on_demand("other-measures", "Other measures of the plan") as is_open:
        if is_open:
            _other_measures_view(result.plan, result.answer, result.futures)
    show_ledger.accounting(result.plan, result.answer)


def options(result: PlanResult) -> None:
    """Show every option with its measures."""
    alt = _ranking(result.answer)
    show.table("options", "", result.options, _OPTION_COLUMNS, "options.csv", placeholder="none", alt=alt)


def _ranking(answer: Answer) -> str:
    options = (f"{option.option.title} {words.usd(option.present_usd)}" for option in answer.ranked)
    return "Cheapest first: " + ", ".join(options)


def turning(plan: Plan, answer: Answer, sentences: Sequence[str]) -> None:
    """Show what would change the answer: in sentences, one input at a time, and by the path of rents."""
    show.paragraph(*sentences)
    if not answer.break_evens:
        st.markdown("There is nothing to compare: one of the two sides has no price.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        show.small_table(tables.break_even_table(answer), "break-evens.csv", "turning")
    with right:
        show.small_table(tables.rent_change_table(answer), "rent-paths.csv", "paths")
        show.small("The same two options; a plan for other rents may choose others.")


def _cash(answer: Answer) -> None:
    columns = show.from_column(1, show.MONEY)
    show.table("cash", "", tables.cash_table(answer), columns, "cash.csv", alt="Cash by year")
    with show.on_demand("lines-table", "Show the lines of one option") as is_open:
        if is_open:
            ranked = answer.ranked
            titles = [option.option.title for option in ranked]
            index = st.selectbox("Option", range(len(ranked)), format_func=titles.__getitem__, key="opened")
            lines = tables.lines_table(answer.plan, ranked[index].option.ledger)
            columns = show.from_column(2, show.MONEY)
            show.table("lines", "", lines, columns, "lines.csv", alt=f"{titles[index]}, line by line")


def parts(ledgers: Sequence[Ledger], money: Money = TODAY) -> None:
    """Show the cost of options as stacked bars and as a table; below them, in the same money, those of pinned plans."""
    if not ledgers:
        st.markdown("No listed offer has a price. Widen the filters or enter your own price.")
        return
    ledgers = [*ledgers, *(ledger for pin in state.session().pinned if (ledger := pin.ledger(money)) is not None)]
    finding = ", ".join(f"{ledger.title} {words.usd(float(ledger.total_usd))}" for ledger in ledgers)
    show.chart(charts.cost_parts(ledgers, state.dark()), f"Cost of the whole plan by part: {finding}.", "parts")
    columns = show.from_column(1, show.MONEY)
    show.table("parts-table", show.AS_TABLE, lambda: tables.parts_table(ledgers), columns, "parts.csv", alt=finding)


# The best mix, orders, buying now or later


_best_mix = shared(64)(workers.remote(best_mix, is_slow=False))


@shared(64)
def _waiting(plan: Plan) -> tuple[Waiting | BuyOrWaitUnavailable, BuyOrWaitFutures | None]:
    study = waiting(plan)
    if isinstance(study, BuyOrWaitUnavailable):
        return study, None
    return study, workers.run_in_worker(buy_or_wait_futures, study)


def mix(plan: Plan) -> None:
    """Show how much to own, to reserve and to rent, and why."""
    best = _best_mix(plan)
    if isinstance(best, MixUnavailable):
        show.paragraph(*mix_report.mix_sentences(best))
        return
    show.paragraph(*mix_report.mix_sentences(best))
    left, right = st.columns(2, gap="large")
    with left:
        show.chart(mix_report.load_chart(best, state.dark()), mix_report.load_summary(best), "load-curve")
    with right:
        summary = mix_report.base_size_summary(best)
        show.chart(mix_report.base_size_chart(best, state.dark()), summary, "base-curve")
    show.small_table(mix_report.layers_table(best))
    with show.on_demand("mix-tables", "Show these charts as tables") as is_open:
        if is_open:
            curve = mix_report.base_size_table(best)
            columns = {curve.columns[1]: show.MONEY, curve.columns[2]: show.SHARE}
            show.table("base", "", curve, columns, "base.csv", alt=mix_report.base_size_summary(best))
            columns = {"Busy": show.SHARE, "Hours": show.MONEY}
            load = mix_report.load_table(best)
            show.table("load", "", load, columns, "load.csv", alt="Hours by the number of GPUs in use")


def _orders(answer: Answer) -> None:
    """Show the orders of hardware; several of them as steps under what the work needs."""
    timeline = fleet_timeline(answer)
    if timeline is None:
        return
    if len(timeline.orders) >= _FEWEST_ORDERS:
        show.chart(charts.fleet_chart(timeline, state.dark()), timeline.finding, "orders")
    columns = dict.fromkeys((USD_PAID, USD_FETCHED), show.MONEY)
    show.table("orders-table", "", timeline.rows, columns, "orders.csv", alt="Orders by date")


def buy_or_wait(plan: Plan) -> None:
    """Show what the plan costs when the order is put off."""
    study, futures = _waiting(plan)
    show.paragraph(*counted.buy_or_wait_sentences(study, futures))
    if isinstance(study, BuyOrWaitUnavailable):
        return
    summary = counted.buy_or_wait_summary(study)
    show.chart(mix_report.buy_or_wait_chart(study, state.dark(), futures), summary, "waiting-curve")

    def columns(table: show.Table) -> dict[str, object]:
        return {name: show.MONEY if name.endswith("USD") else show.OF_100 for name in table.columns[1:]}

    show.table(
        "waiting-table",
        "Show this chart as a table",
        lambda: counted.buy_or_wait_table(study, futures),
        columns,
        "waiting.csv",
        alt=summary,
    )


# Other measures


_other_measures = shared(64, key=lambda plan, *_: (plan,))(
    workers.remote(measures_report.other_measures, is_slow=False)
)


def _other_measures_view(plan: Plan, answer: Answer, futures: Futures | None) -> None:
    """Show measures of every plan: sentences, a table, and the break-even over utilization and years."""
    measures = _other_measures(plan, answer, futures)
    if measures is None:
        return
    show.paragraph(*measures.sentences)
    show.small_table(other_measures_table(measures), "other-numbers.csv", "also")
    if answer.pair is not None:
        with show.on_demand("also-curve", "Break-even over utilization and years") as is_open:
            if is_open:
                _break_even_curve(measures, answer)


def _break_even_curve(measures: OtherMeasures, answer: Answer) -> None:
    if measures.map is None or answer.pair is None:
        st.markdown("This plan has no work, so it has no utilization to look at.")
        return
    sides = (answer.pair[0].option.way, answer.pair[1].option.way)
    figure = future_charts.break_even_map_chart(measures.map, state.dark(), sides)
    show.chart(figure, map_summary(measures.map, saving_side_label(sides[0])), "also-map")
    table = curve_table(measures)
    if len(table):
        columns = {table.columns[2]: show.SHARE}
        alt = "Utilization and years"
        show.table("use-and-years", "", table, columns, "use-and-years.csv", placeholder="–", alt=alt)


# Advice


def advice(result: PlanResult) -> None:
    """Show likely slips and warnings of this plan."""
    for line in result.advice:
        st.info(words.markdown(line), icon=":material/lightbulb:")


def advice_details(result: PlanResult) -> None:
    """Show other sizes of the fleet, old figures, and the assumptions of an example."""
    if result.sizes is not None:
        with st.expander("Results with another number of GPUs", key="sizes"):
            show.small_table(result.sizes, "sizes.csv", "sizes")
    if result.old_figures:
        with st.expander(HEAD, key="old-figures"):
            _list(result.old_figures)
    example = next((preset for preset in load_presets() if preset.scenario == result.plan.setting.written), None)
    if example is not None:
        with st.expander("Assumptions of this example", key="granted"):
            _list((example.what, *example.says, example.illustrated), example.sources)


def unavailable_options(plan: Plan) -> None:
    """Show the options that were not calculated, with what they would need."""
    lines = unavailable_option_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(plan.absent), 'option')} not calculated, with reasons", key="absent"):
            _list(lines)


def _list(lines: Iterable[str], sources: Iterable[PresetSource] = ()) -> None:
    items = [words.markdown(line) for line in lines]
    items += [f"{words.markdown(source.sentence)}{show.link(source.url)}" for source in sources]
    show.bullets(items)


def autochoose_button(plan: Plan) -> None:
    """Show a button that looks for a GPU, where the chosen one cannot train the model."""
    resolved, scenario = plan.setting.resolved, plan.setting.written
    if resolved is not None and resolved.problems and any(work.train for work in scenario.work):
        st.button(
            "Choose the GPU and how many for me",
            icon=":material/search:",
            on_click=ask.use,
            args=(with_open_accelerator(scenario),),
            key="choose-for-me",
        )


def with_open_accelerator(scenario: Scenario) -> Scenario:
    """Return the scenario with its accelerator left to be chosen, and the number too where a model is trained."""
    works = []
    for work in scenario.work:
        train = work.train and work.train.model_copy(update={"choose_count": True})
        works.append(work.model_copy(update={"train": train}))
    return scenario.model_copy(update={"accelerator": ANY_ACCELERATOR, "work": tuple(works)})
