"""Code and facts that all worker processes have in common: loaded once, in the process that they branch off from.

Nothing of Streamlit is loaded here: workers only calculate.
"""

import gc
from datetime import date

import planner.report.answer.other_measures
import planner.report.market.job_offers
import planner.study.buy_or_wait
import planner.study.market.gpu_guide
import planner.study.market.survey
import planner.study.plan_any
import planner.study.uncertainty.stress
import planner.study.uncertainty.tornado  # noqa: F401
from planner.report.answer.plan_report import evaluate
from planner.scenario.scenario import Scenario
from planner.web import messages

messages.ready()
evaluate(messages.latest_catalogue(), Scenario(), date.today(), with_details=True)  # fills the caches of the facts
gc.collect()
gc.freeze()
