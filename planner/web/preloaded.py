"""What the server's processes have in common: loaded once, in the one that all of them branch off from.

Nothing of Streamlit is loaded here: they only reckon.
"""

import gc
from datetime import date

import scipy.optimize  # noqa: F401 - loaded where it is first used, which is a plan that somebody waits for

import planner.report.market.job_offers
import planner.study.market.gpu_guide
import planner.study.market.survey
import planner.study.uncertainty.stress
import planner.study.uncertainty.tornado  # noqa: F401
from planner.report.answer.plan_report import evaluate
from planner.scenario.scenario import Scenario
from planner.web import parcels

parcels.ready()
evaluate(parcels.latest(), Scenario(), date.today(), with_details=True)  # fills what is kept of the facts
gc.collect()
gc.freeze()
