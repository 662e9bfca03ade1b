"""Each line of an option with its inputs and their sources; and the books of an option, by year or quarter."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote

import streamlit as st

from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.report import words
from planner.report.accounting.actual_words import (
    Actuals,
    actual_sentences,
    actuals_of,
    months_table,
    reforecast,
    variance_table,
)
from planner.report.accounting.bill_file import Bill, BillError, read_bill
from planner.report.accounting.book_words import (
    accounting_table,
    assumed_sentences,
    capital_table,
    contracts_table,
    hurdle_table,
    leases_of,
    schedule_table,
)
from planner.report.answer.line_words import format_input, formula_text, sourced_inputs, total_text
from planner.report.answer.profit_words import break_even_sentences, primary_selling_option, profit_table
from planner.report.answer.sensitivity import carrying_table
from planner.report.answer.side_by_side import priced
from planner.report.answer.tables import cash_table
from planner.report.facts.assumptions import sources_of_ledgers
from planner.report.files.csv import to_csv
from planner.report.futures.input_words import formula_input_label
from planner.report.market.compare import PurchaseComparison, no_purchase_reason, purchase_range_text, running_cost_rows
from planner.scenario.file import write_scenario
from planner.scenario.known_names import with_unchanged_note
from planner.web import address, ask, kept_plans, show, state, state_results
from planner.web.shared import memory, noting_refusal
from pricing import Catalogue
from pricing.exchange import rates


def ledger(shown: Ledger) -> None:
    """Show every line with its amount, formula and sourced inputs; lines that cost nothing in one sentence."""
    zero = [line.name for line in shown.lines if line.total_usd == 0]
    for line in shown.lines:
        if line.total_usd != 0:
            _line(line)
    if zero:
        show.small(words.markdown(f"Nothing in this plan: {words.listed(dict.fromkeys(zero))}."))
    missing = f", without {words.listed(shown.unpriced).lower()} (not priced)" if shown.unpriced else ""
    rest = words.markdown(f"{missing}. The sum of the lines above.")
    st.markdown(f"**Total: {words.escape_dollar_signs(total_text(shown))}**{rest}")


def _line(line: Line) -> None:
    with st.expander(words.markdown(f"{line.name}: {words.usd(float(line.total_usd))}")):
        show.paragraph(formula_text(line))
        if line.note:
            show.small(words.markdown(line.note))
        show.bullets([_input(used) for used in sourced_inputs(line)])


def _input(used: LedgerInput) -> str:
    origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    name, value = words.markdown(formula_input_label(used.name)), words.markdown(format_input(used))
    note = f" · {words.markdown(origin.note)}" if origin.note else ""
    return f"{name}: **{value}** · {source_text(origin)}{note}"


def source_text(origin: Origin) -> str:
    """Return a source by its name, as a link where it has an address, with the kind of statement and its day."""
    name = words.markdown(origin.source)
    if origin.url and origin.url.startswith(("http://", "https://")):
        address = quote(origin.url, safe="%/:?#&=+,;@!$'*~-._")  # it ends where it ends, whatever stands in it
        name = f"[{name}]({address})"
    kind = origin.kind.replace("_", " ")
    more = ("" if kind in (origin.source, "input") else kind, "" if origin.since is None else words.day(origin.since))
    return ", ".join(filter(None, (name, *more)))


def explain_button(ledgers: Callable[[], Sequence[Ledger]], notes: Sequence[str] = ()) -> None:
    """Show a button that opens the drawer with every number in it, and a note on the total of each ledger."""
    if st.button("Explain", icon=":material/calculate:", key="explain"):
        explain(ledgers(), notes)


@st.dialog("Explain these numbers", width=680, position="right")
def explain(ledgers: Sequence[Ledger], notes: Sequence[str] = ()) -> None:
    """Show any number of an option taken apart into its parts, formula, inputs and sources."""
    titles = [option.title for option in ledgers]
    index = st.selectbox("Option", range(len(titles)), format_func=titles.__getitem__, key="explained")
    ledger(ledgers[index])
    if notes:
        show.small(words.markdown(notes[index]))


def buying(catalogue: Catalogue, own: PurchaseComparison | None, accelerator: str) -> None:
    """Show the cost of buying and running the accelerator, beside renting it."""
    if own is None:
        show.paragraph(no_purchase_reason(catalogue, accelerator))
        return
    with st.grid(4, min_column_width=150):
        for label, value, detail in running_cost_rows(own):
            st.metric(label, value, border=True, height="stretch", help=words.escape_dollar_signs(detail))
    since = "" if own.bought.since is None else f", {words.day(own.bought.since)}"
    text = f"Price of {own.bought.what}{since}: {own.bought.source}. In all{purchase_range_text(own)}:"
    show.small(words.markdown(text))
    ledger(own.ledger)


def below(key: str, ledgers: Callable[[], Iterable[Ledger]]) -> None:
    """Show the sources of the chart of this key, which rests on these ledgers."""
    with show.on_demand(f"sources-{key}", "Sources") as is_open:
        if is_open:
            columns, alt = {"Link": show.OPEN}, "The figures of the chart above, with their sources."
            table, file = sources_of_ledgers(ledgers()), f"sources-{key}.csv"
            show.table(f"of-{key}", "", table, columns, file, placeholder="", alt=alt)
            show.next_page("Assumptions", "All of them by weight, and how to change them")


def plan_ledgers() -> list[Ledger]:
    """Return the options of the plan on the screen, and the best one of each pinned plan."""
    ranked = [option.option.ledger for option in state.result().answer.ranked]
    return ranked + [best.option.ledger for _, best in priced(state.session().pinned)]


def accounting(plan: Plan, answer: Answer) -> None:
    """Show the statements of one option; the file has those of all."""
    with show.on_demand("accounting", "Accounting: profit and loss, leases, fiscal years") as is_open:
        if is_open:
            _statements(plan, answer)


def _statements(plan: Plan, answer: Answer) -> None:
    ranked = answer.ranked
    first = primary_selling_option(answer) or ranked[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = [way.option.title for way in ranked]
        index = st.selectbox("Option", range(len(ranked)), ranked.index(first), titles.__getitem__, key="booked")
        address.switch("quarters")
        quarters = st.toggle("By quarter", key="quarters")
    way, money = ranked[index], show.from_column(1, show.MONEY)
    if sentences := break_even_sentences(plan, way):
        show.paragraph(*sentences)
    st.markdown("**Profit and loss**, as billed")
    profit = profit_table(plan, way, quarters=quarters)
    show.table("profit", "", profit, money, "profit-and-loss.csv", alt="Profit by period")
    _leases(plan, way, quarters)
    st.markdown("**Cash** of every option")
    show.table(
        "booked-cash", "", cash_table(answer, quarters=quarters), money, "cash-periods.csv", alt="Cash by period"
    )
    _rates(plan, answer)
    if answer.pair is not None and (bars := state_results.bars()):
        st.markdown("**What carries the answer**")
        carrying = carrying_table(bars, state_results.saving_side())
        show.table("carrying", "", carrying, show.in_usd, "carrying.csv", alt="The inputs that carry the answer")
    _actuals(plan, answer)
    label, name = "All statements by month (CSV)", "accounting.csv"
    show.download(label, name, lambda: to_csv(accounting_table(plan, answer)), "csv-accounting")


def _leases(plan: Plan, way: EvaluatedOption, quarters: bool) -> None:
    accounts = leases_of(plan.setting, way)
    if accounts is None:
        return
    st.markdown("**Leases**, IFRS 16 and ASC 842")
    show.table("contracts", "", contracts_table(accounts), show.in_usd, alt="The contracts")
    schedule = schedule_table(plan, accounts, quarters=quarters)
    show.table("leases", "", schedule, show.from_column(1, show.MONEY), "leases.csv", alt="Leases by period")
    show.bullets([words.markdown(sentence) for sentence in assumed_sentences(plan, accounts)])


def _rates(plan: Plan, answer: Answer) -> None:
    """Show the parts of the discount rate, and what options return beside the hurdle rate."""
    if (capital := plan.setting.capital) is not None:
        st.markdown("**Discount rate** from its parts")
        show.table(
            "capital", "", capital_table(capital), file="discount-rate.csv", alt="The parts of the discount rate"
        )
    baseline = answer.baseline.option.title if answer.baseline else ""
    if len(hurdles := hurdle_table(plan, answer)):
        st.markdown(f"**Hurdle rate**: returns against {words.markdown(baseline)}")
        rates = dict.fromkeys(hurdles.columns[1:4], show.SHARE)
        show.table("hurdle", "", hurdles, rates, alt="Returns beside the hurdle rate")


_BILL_FILE, _BILL, _REFUSAL, _SIZE = "actuals_file", "actuals_bill", "actuals_refusal", "actuals_gpus"


def _actuals(plan: Plan, answer: Answer) -> None:
    """Show bills beside the plan. A file stays in this session; its months stay with a kept plan on request."""
    st.markdown("**Actuals**: a bill in FOCUS, as AWS, Azure, Google and Oracle export it, beside the plan")
    kinds = ["csv", "parquet"]
    st.file_uploader("Bill (CSV, Parquet)", type=kinds, key=_BILL_FILE, max_upload_size=50, on_change=_read_bill)
    show.refusal(_REFUSAL)
    kept_plans.refusal()
    bill = uploaded = memory().get(_BILL)
    if bill is None and (bill := kept_plans.actuals()) is None:
        return
    each = st.number_input("GPUs of a machine that is billed by the hour", 1, 128, None, key=_SIZE) or bill.each
    try:
        actuals = actuals_of(plan, bill, each)
    except BillError as problem:
        st.error(words.markdown(str(problem)))
        return
    kept = kept_plans.opened()
    if uploaded is not None and kept is not None and kept.is_frozen:
        st.button(words.markdown(f"Keep with “{kept.name}”"), key="actuals-keep", on_click=_keep,
                  args=(plan, bill._replace(each=each)))  # fmt: skip
    show.paragraph(*actual_sentences(plan, actuals))
    months, variances = months_table(plan, answer, actuals), variance_table(plan, answer, actuals)
    show.table("actuals", "", variances, show.in_usd, "variances.csv", alt="Bill and plan")
    show.table("actual-months", "", months, show.in_usd, "actual-months.csv", alt="Bill and plan by month")
    _rest_of_plan(plan, answer, actuals)


def _rest_of_plan(plan: Plan, answer: Answer, actuals: Actuals) -> None:
    """Show the months after the bills as a plan of their own, to keep or to open."""
    try:
        rest = reforecast(plan, answer, actuals)
    except BillError as problem:
        show.small(words.markdown(str(problem)))
        return
    show.paragraph(*rest.sentences)
    with st.container(horizontal=True):
        file = write_scenario(rest.saved).encode()
        show.download("The rest as a plan (YAML)", "rest.yaml", lambda: file, "download-rest")
        st.button("Open the rest as a plan", on_click=ask.use, args=(rest.saved.scenario,), key="open-rest")


def _keep(plan: Plan, bill: Bill) -> None:
    kept_plans.keep_actuals(plan, bill)
    memory()[_BILL] = None


def _read_bill() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves an earlier one in place."""
    file = st.session_state[_BILL_FILE]
    with noting_refusal(_REFUSAL, with_unchanged_note):
        if file is not None:
            memory()[_BILL] = read_bill(file.getvalue(), file.name, rates(state.catalogue()))
