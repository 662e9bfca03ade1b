"""What somebody sees who comes for the first time: what this is, and three ways to begin with what he has."""

from collections.abc import Callable

import streamlit as st

from planner.report import words
from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.durations import years_words
from planner.scenario.latency import latency_classes
from planner.scenario.presets import find_preset
from planner.scenario.question import KEYS, SERVE, TRAIN, TUNE
from planner.scenario.scenario import Scenario
from planner.study.plan_any import affordable_fleet, scenario_from_token_bill
from planner.web import address, fields, name_box, state
from pricing import Catalogue

Use = Callable[[Scenario], None]
_PURPOSE = (
    "**Rent, buy, or both?** What GPUs cost each way, how sure that is and who says so. "
    "Below is an answer already: change any phrase above, or start from what you have."
)
_USUAL_MODEL, _USUAL_BUDGET_USD, _USUAL_BILL_USD = "Llama-3.3-70B", 250_000.0, 20_000.0
_INSTEAD = "One that is good enough for your work: the tool knows what it costs, not how well it answers."
_CHOOSE = "Choose a model first: type its name in the box and press Enter, or choose one from its list."
_MOST_USD, _MOST_BILL_USD = 1e12, 1e9
_SECONDS_PER_MONTH = HOURS_PER_MONTH * SECONDS_PER_HOUR
_MODELS = {TRAIN.name: "pre-train-7b", TUNE.name: "fine-tune-70b", SERVE.name: "chat-service"}
_TOLD = "start_told"


def welcome(catalogue: Catalogue, use: Use) -> None:
    """The line of a first visit. It is gone where the address holds a plan of somebody's own."""
    if said := st.session_state.pop(_TOLD, None):
        st.info(words.markdown(said), icon=":material/payments:")
    if KEYS.keys() & address.texts().keys():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="welcome"):
        st.markdown(f":small[{_PURPOSE}]", width=480)
        with st.popover("I have a budget", icon=":material/savings:", key="start-budget"):
            _budget(catalogue, use)
        with st.popover("I have a model", icon=":material/network_node:", key="start-model"):
            _model(catalogue, use)
        with st.popover("I have an API bill", icon=":material/receipt_long:", key="start-bill"):
            _api_bill_form(catalogue, use)


def _budget(catalogue: Catalogue, use: Use) -> None:
    st.number_input(
        "All you can spend, USD", 1.0, _MOST_USD, _USUAL_BUDGET_USD, 1_000.0, format="%.0f", key="budget_usd",
        help="On everything, over the whole time: machines, power, space, people.",
    )  # fmt: skip
    box = name_box.Box("budget_gpu", "For which GPU?", "gpu", Scenario().accelerator)
    name_box.ask(catalogue, box, fields.choices(catalogue))
    st.slider("For how long, years", 0.25, 10.0, 3.0, 0.25, format="%g", key="budget_years")
    st.button("Show what it pays for", on_click=_apply_budget, args=(catalogue, use), key="budget_go")


def _apply_budget(catalogue: Catalogue, use: Use) -> None:
    # From the session: with a click that follows typing at once, what was typed comes in the same run.
    usd, chip, years = (st.session_state[key] for key in ("budget_usd", "budget_gpu", "budget_years"))
    asked = Scenario(accelerator=chip, years=years)
    found = affordable_fleet(catalogue, asked, usd, state.day())
    label = catalogue.accelerator_label(chip)
    if found is None:
        st.session_state[_TOLD] = (
            f"{words.usd(usd)} does not pay for one {label} over {years_words(years)}, whichever way. Shown is what "
            "one costs."
        )
    else:
        st.session_state[_TOLD] = (
            f"{words.usd(usd)} pays for {found.accelerators:,} x {label} over {years_words(years)}, busy 60% of the "
            f"time: {words.usd(found.usd)} in all, by the cheapest way."
        )
    work = asked.work[0].model_copy(update={"accelerators": found.accelerators if found else 1})
    use(asked.model_copy(update={"work": (work,)}))


def _model(catalogue: Catalogue, use: Use) -> None:
    what = st.pills("To do what?", list(_MODELS), default=SERVE.name, required=True, key="model_work")
    name = SERVE.name if what is None else what
    of = "serve" if name == SERVE.name else "train"
    name_box.ask(catalogue, name_box.Box("model_name", "Which model?", of), fields.models(catalogue, of))
    st.button("Show the answer", on_click=_run, args=(use, name), key="model_go")


def _run(use: Use, what: str) -> None:
    if st.session_state["model_name"] is None:
        st.session_state[_TOLD] = _CHOOSE
        return
    example = find_preset(_MODELS[what])
    assert example is not None  # each is a file of ours
    work = example.scenario.work[0]
    task = work.serve if what == SERVE.name else work.train
    assert task is not None
    named = task.model_copy(update={"model": st.session_state["model_name"]})
    work = work.model_copy(update={"serve" if what == SERVE.name else "train": named})
    use(example.scenario.model_copy(update={"name": "Plan", "work": (work,)}))


def _api_bill_form(catalogue: Catalogue, use: Use) -> None:
    st.number_input("What you pay, USD a month", 1.0, 1e9, _USUAL_BILL_USD, 1_000.0, format="%.0f", key="bill_usd")
    priced = sorted(catalogue.hosted, key=lambda key: (catalogue.hosted[key].vendor, catalogue.hosted[key].label))
    st.selectbox("For which model?", priced, format_func=lambda one: _hosted(catalogue, one), key="bill_price")
    box = name_box.Box("bill_model", "Which model would you run instead?", "serve", _USUAL_MODEL, _INSTEAD)
    name_box.ask(catalogue, box, fields.models(catalogue, "serve"))
    st.button("Compare", on_click=_replace, args=(catalogue, use), key="bill_go")


def _hosted(catalogue: Catalogue, key: str) -> str:
    price = catalogue.hosted[key]
    return f"{price.label} ({price.vendor})"


def _replace(catalogue: Catalogue, use: Use) -> None:
    usd, key, model = (st.session_state[name] for name in ("bill_usd", "bill_price", "bill_model"))
    usual = next(iter(latency_classes().values()))
    asked = scenario_from_token_bill(catalogue.hosted[key], key, usd, model, usual)
    serve = asked.work[0].serve
    assert serve is not None
    st.session_state[_TOLD] = (
        f"{words.usd(usd)} a month pays for {words.large(serve.requests_per_s * _SECONDS_PER_MONTH)} requests of "
        f"{usual.input_tokens:,} tokens in and {usual.output_tokens:,} out: change the lengths to yours."
    )
    use(asked)
