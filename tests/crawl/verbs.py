"""What the verbs of the command line say of a plan, and of the orders and jobs that it names."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from planner.cli import main
from planner.money.renting.orders import busiest_order
from planner.report.answer.plan_report import PlanResult
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.grid import OUTPUTS
from planner.scenario.task import ServingTask, TrainingTask
from tests.crawl.figures import PLAN, Figures
from tests.crawl.files import read_assumptions, read_document, read_payments, read_results, read_sweep, rows_of
from tests.facts import CATALOGUE, DAY

Say = Callable[[], str]
_DAY = ("--day", DAY.isoformat())
_SERVED = {"input_tokens": "--input-tokens", "output_tokens": "--output-tokens", "requests_per_s": "--requests-per-s",
           "peak_requests_per_s": "--peak-requests-per-s", "ttft_ms": "--ttft-ms", "tpot_ms": "--tpot-ms"}  # fmt: skip
_SWEPT = ["total_cash_usd", "as_entered_usd", "peak_cash_usd", "usd_per_useful_accelerator_hour"]


@dataclass
class VerbReader:
    """One plan as a file, and what each verb prints of it. `say` gives what was printed since it was last called."""

    figures: Figures
    result: PlanResult
    folder: Path
    say: Say

    def read(self, *, with_market: bool) -> None:
        """Note what `plan` with its files, `compare`, `sweep`, `prices`, `train`, `serve` and `cheapest` say."""
        self.read_plan()
        compared = self._json("compare", str(self.path), str(self.path))["plans"]
        read_document(self.figures, compared[0], self.titles, "compare --json")
        self._sweep()
        self._prices()
        self._jobs(with_market=with_market)

    def read_plan(self) -> None:
        """Note what `plan` says, with its files."""
        self.path.write_text(write_scenario(SavedScenario(self.result.scenario, DAY, CATALOGUE.digest)), "utf-8")
        self._plan()

    @property
    def path(self) -> Path:
        return self.folder / "plan.yaml"

    @property
    def titles(self) -> dict[str, str]:
        return {way.option.key: way.option.title for way in self.result.answer.ranked}

    def _json(self, *args: str) -> Any:
        self.say()
        assert main([*args, *_DAY, "--json"]) == 0, args
        return json.loads(self.say())

    def _plan(self) -> None:
        files = {name: self.folder / f"{name}.csv" for name in ("csv", "csv-results", "csv-assumptions")}
        flags = [part for name, path in files.items() for part in (f"--{name}", str(path))]
        read_document(self.figures, self._json("plan", str(self.path), *flags), self.titles, "plan --json")
        payments, results, assumptions = (rows_of(path.read_bytes()) for path in files.values())
        read_payments(self.figures, payments, self.titles, "plan --csv")
        read_results(self.figures, results, self.titles, "plan --csv-results")
        read_assumptions(self.figures, assumptions, "plan --csv-assumptions")

    def _sweep(self) -> None:
        """A grid of one point is the plan."""
        outputs = [name for name in OUTPUTS if name not in ("leads", "best", "note")] + _SWEPT
        vary = {"terms.hours_per_month": [self.result.scenario.terms.hours_per_month]}
        grid, rows = self.folder / "grid.yaml", self.folder / "rows.csv"
        grid.write_text(yaml.safe_dump({"base": str(self.path), "vary": vary, "outputs": outputs}), "utf-8")
        assert main(["sweep", str(grid), "--csv", str(rows), *_DAY, "--jobs", "1"]) == 0
        pair = self.result.answer.pair
        compared = "" if pair is None else pair[0].option.title
        read_sweep(self.figures, rows_of(rows.read_bytes())[0], self.titles, compared, "sweep")

    def _prices(self) -> None:
        """Note what an order like the plan's pays, and each offer of its accelerator."""
        setting = self.result.plan.setting
        chip, order = setting.scenario.accelerator, busiest_order(setting)
        if chip not in CATALOGUE.accelerators or not self.result.plan.options:
            return
        told = self._json("prices", "--accelerator", chip, "--gpus", str(order.accelerators))
        is_plain = order.together == 1 and not setting.scenario.stay_in and setting.scenario.stay in (None, "anywhere")
        for row in told["orders"] if is_plain else ():
            for end in ("low", "typical", "high"):
                self.figures.add(f"order of {row['accelerators']} {row['purchase']}", end, row[end], "prices --json")
        for row in told["offers"] if self.result.scenario.work[0].train is None else ():
            for name in ("today_usd_per_accelerator_hour", "today_low", "today_high"):
                self.figures.add(f"offer {row['id']}", name, row[name], "prices --json", 1e-4 * (row[name] or 0.0))

    def _jobs(self, *, with_market: bool) -> None:
        """Note the speed of each model that the plan names, and the cheapest machines for its one run."""
        work, resolved = self.result.scenario.work, self.result.plan.setting.resolved
        if len(work) != 1 or resolved is None or resolved.problems:
            return
        chip = resolved.written.accelerator
        if (task := work[0].train) is not None and not task.choose_count and chip in CATALOGUE.accelerators:
            self._train(task, chip, work[0].accelerators)
        if (served := work[0].serve) is not None and chip in CATALOGUE.accelerators and resolved.servings:
            self._serve(served, chip)
        if with_market and task is not None and task.runs_per_month is None:
            best = self._json("cheapest", str(self.path))["best"]
            if best is not None:
                self.figures.add("recommended", "usd", best["usd"]["typical"], "cheapest --json")

    def _train(self, task: TrainingTask, chip: str, count: int) -> None:
        asked = task.model_dump(exclude_defaults=True)
        if not set(asked) <= {"model", "tokens", "method", "deadline_days", "runs_per_month", "seq_len"}:
            return
        flags = {"tokens": "--tokens", "method": "--method", "seq_len": "--seq-len"}
        told = [part for name, flag in flags.items() if name in asked for part in (flag, str(asked[name]))]
        found = self._json("train", "--model", task.model, "--accelerator", chip, "--count", str(count), *told)
        speed = found["speed"] or {}
        self.figures.add(PLAN, "memory of each, GB", found["memory_gb"], "train --json")
        if speed:
            self.figures.add(PLAN, "days of a run", speed["days"]["typical"], "train --json")
            self.figures.add(PLAN, "hours of a run", speed["accelerator_hours"]["typical"], "train --json")

    def _serve(self, task: ServingTask, chip: str) -> None:
        asked = task.model_dump(exclude_defaults=True)
        if set(asked) <= {"model", *_SERVED}:
            told = [part for name, flag in _SERVED.items() if name in asked for part in (flag, str(asked[name]))]
            served = self._json("serve", "--model", task.model, "--accelerator", chip, *told)
            for name in ("accelerators_at_average", "accelerators_at_peak"):
                self.figures.add(PLAN, f"serving {name}", served[name], "serve --json")
            replicas = max(served["accelerators_at_peak"] // served["accelerators_per_replica"], 1)
            per_s = served["output_tokens_per_s"] / served["replicas"] * replicas
            self.figures.add(PLAN, "serving output_tokens_per_s", per_s, "serve --json")
