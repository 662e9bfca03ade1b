"""Each recipe of docs/CHANGE.md, followed on a copy of the tree: these files by hand, and nothing else."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.house import ROOT
from tests.test_a_new_way import BARTER

PAGE = (ROOT / "docs" / "CHANGE.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, flags=re.MULTILINE))
COPIED = ("planner", "pricing", "tools", "docs", "schemas")
DAY = "2026-11-21"
pytestmark = pytest.mark.slow


@dataclass
class Tree:
    """A copy of the tree that a recipe is followed on."""

    root: Path
    touched: list[str] = field(default_factory=list)

    def new(self, path: str, text: str) -> None:
        """A file that was not there."""
        assert not (self.root / path).exists()
        (self.root / path).write_text(text, encoding="utf-8")
        self.touched.append(path)

    def after(self, path: str, anchor: str, text: str) -> None:
        """Text put behind an anchor that stands once in a file."""
        self._changed(path, anchor, anchor + text)

    def before(self, path: str, anchor: str, text: str) -> None:
        """Text put in front of it."""
        self._changed(path, anchor, text + anchor)

    def _changed(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path}: {old!r}"
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")
        self.touched.append(path)

    def python(self, *words: str) -> str:
        """What Python prints with the code of the copy."""
        paths = os.environ | {"PYTHONPATH": str(self.root)}
        told = subprocess.run(
            [sys.executable, "-P", *words], cwd=self.root, env=paths, capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told.stderr
        return told.stdout

    def planner(self, *words: str) -> Any:
        """What a verb answers, as data."""
        dated = [] if words[0] == "check" else ["--day", DAY]
        return json.loads(self.python("-m", "planner", *words, *dated, "--json"))

    def kept_to(self, recipe: str) -> bool:
        """Whether the recipe names every file that was touched."""
        named = re.findall(r"`((?:planner|pricing|tests)/[\w/.]+\.\w+)`", SECTIONS[recipe])
        return all(any(_fits(path, one) for one in named) for path in self.touched)


def _fits(path: str, named: str) -> bool:
    """A name in capitals stands for any."""
    return re.fullmatch(re.sub(r"[A-Z]{3,}", r"[\\w-]+", re.escape(named)), path) is not None


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A copy of what ships, and the tools, as compiled: only what a recipe touches is compiled anew."""
    for room in COPIED:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("*.pyc.*"))
    return Tree(tmp_path)


SOURCE = """\
sources:
  example:
    {title: Example, url: "https://example.org", retrieved: 2026-11-20, via: official_page, licence: facts cited}
"""


def figure(unit: str, typical: float, kind: str = "spec") -> str:
    """A figure of one day as a data file has it."""
    told = f"{{typical: {typical}, kind: {kind}, source: example}}"
    return f"{{unit: {unit}, checked: 2026-11-20, values: {{2026-11-20: {told}}}}}"


def test_a_provider(tree: Tree) -> None:
    usd = figure("USD/accelerator-hour", 1.99, "list_price")
    tree.new(
        "pricing/data/rentals/example.yaml",
        f"about: Prices of Example.\n{SOURCE}providers:\n  example: {{label: Example, kind: neocloud}}\noffers:\n"
        "  example/H100-SXM5-80GB/8x/us/on_demand: {provider: example, accelerator: H100-SXM5-80GB,\n"
        "    accelerators_per_instance: 8, region: us, area: north_america, purchase: on_demand,\n"
        f"    usd_per_accelerator_hour: {usd}}}\n",
    )
    assert tree.kept_to("A provider")
    offers = tree.planner("prices", "--provider", "example")
    assert [one["usd_per_accelerator_hour"] for one in offers["offers"]] == [1.99]


def test_an_accelerator(tree: Tree) -> None:
    facts = {
        "memory_gb": ("GB", 96), "memory_bandwidth_gb_s": ("GB/s", 4_000), "bf16_dense_tflops": ("TFLOP/s", 900),
        "tdp_w": ("W", 700), "link_gb_s": ("GB/s", 900),
    }  # fmt: skip
    lines = "".join(f"    {name}: {figure(unit, number)}\n" for name, (unit, number) in facts.items())
    tree.new(
        "pricing/data/accelerators/example.yaml",
        f"about: Chips of Example.\n{SOURCE}accelerators:\n  Example-A-96GB:\n    label: Example A\n"
        "    vendor: Example\n"
        "    kind: gpu\n    form_factor: OAM\n    memory_type: HBM3\n    confidence: medium\n"
        f"{lines}    price_usd: {figure('USD', 21_000, 'reported')}\n",
    )
    assert tree.kept_to("An accelerator")
    trained = tree.planner("train", "--model", "llama-3-8b", "--accelerator", "example a", "--tokens", "1B")
    assert trained["fits"]
    plan = tree.root / "plan.yaml"
    plan.write_text("accelerator: example a\n", encoding="utf-8")
    assert {one["way"] for one in tree.planner("plan", str(plan))["options"]} >= {"own"}


MODEL = """\
models:
  Example-8B: {{
    label: Example 8B, family: Example, modality: text, released: "2026-10", params_b: 8.03, source: example,
    confidence: high, attention: {attention}, layers: 32, hidden: 4096, heads: 32, kv_heads: 8, head_dim: 128,
    ffn_hidden: 14336, vocab: 128256, context: 8192, gated: true, tied_embeddings: false}}
"""


def model(attention: str) -> str:
    """A data file of one model."""
    return f"about: Models of Example.\n{SOURCE}{MODEL.format(attention=attention)}"


def test_a_model(tree: Tree) -> None:
    tree.new("pricing/data/models/example.yaml", model("GQA"))
    assert tree.kept_to("A model")
    served = tree.planner("serve", "--model", "example-8b", "--accelerator", "h100 sxm")
    twin = tree.planner("serve", "--model", "llama-3-8b", "--accelerator", "h100 sxm")
    assert served["output_tokens_per_s"] == pytest.approx(twin["output_tokens_per_s"], rel=0.02)


def test_a_kind_of_model(tree: Tree) -> None:
    """A made-up kind keeps half of what grouped attention keeps."""
    tree.new("pricing/data/models/example.yaml", model("HALF"))
    tree.after("pricing/model.py", "AttentionKind = Literal[\n", '    "HALF",\n')
    tree.after("planner/network/kinds.py", "COUNTED = (*GROUPED, LATENT, COMPRESSED", ', "HALF"')
    tree.after(
        "planner/network/kinds.py",
        "    check_attention_kind(model)\n",
        '    if model.attention == "HALF":\n'
        "        whole = _grouped_query(model)\n"
        "        return replace(whole, cache_values=whole.cache_values / 2, decode_dim=whole.decode_dim / 2)\n",
    )
    assert tree.kept_to("A kind of model")
    served = tree.planner("serve", "--model", "example-8b", "--accelerator", "h100 sxm", "--input-tokens", "4000")
    twin = tree.planner("serve", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--input-tokens", "4000")
    assert served["output_tokens_per_s"] > twin["output_tokens_per_s"]


def test_a_measure(tree: Tree) -> None:
    tree.after(
        "planner/study/measures.py",
        "MEASURES: tuple[Measure, ...] = (\n",
        '    Measure("present_cents", "USD/100", "the whole plan in cents", lambda it: 100 * it.way.present_usd,'
        ' label="In cents"),\n',
    )
    assert tree.kept_to("A measure")
    results, rows, grid = (tree.root / name for name in ("results.csv", "rows.csv", "grid.yaml"))
    grid.write_text("base: enterprise\nvary: {years: [3]}\noutputs: [present_usd, present_cents]\n", encoding="utf-8")
    options = tree.planner("plan", "enterprise", "--csv-results", str(results))["options"]
    swept = tree.planner("sweep", str(grid), "--csv", str(rows), "--jobs", "1")["rows"][0]["options"]
    assert all(option["present_cents"] == pytest.approx(100 * option["present_usd"]) for option in options)
    assert all(one["measures"]["present_cents"] == pytest.approx(100 * one["present_usd"], abs=1) for one in swept)
    assert '"present_cents_on_demand"' in rows.read_text(encoding="utf-8")
    written = list(csv.DictReader(results.read_text(encoding="utf-8-sig").splitlines()))
    assert [float(row["present_cents"]) for row in written] == [one["present_cents"] for one in options]
    assert "the whole plan in cents" in tree.python("-m", "planner", "schema", "answer")
    assert "In cents" in tree.python("-m", "planner", "plan", "enterprise", "--day", DAY)


def test_a_field(tree: Tree) -> None:
    tree.before(
        "planner/scenario/work.py",
        "    may_stop: ",
        '    backup_tb: Annotated[Terabytes, ask("backup", "Copies kept elsewhere, TB", group=WORK),'
        ' Field(description="of all data")] = 2.0\n',
    )
    assert tree.kept_to("A field")
    code = (
        "from planner.scenario.link import scenario_from_link, scenario_to_link\n"
        "from planner.scenario.file import SavedScenario, file_schema, write_scenario\n"
        "from planner.scenario.question import keys_of_group\n"
        "from tools.field_page import field_page\n"
        "plan = scenario_from_link({'backup': '7.5'})[0]\n"
        "assert plan.work[0].backup_tb == 7.5\n"
        "assert scenario_to_link(plan) == {'backup': '7.5'}\n"
        "assert 'backup_tb: 7.5  # TB; of all data' in write_scenario(SavedScenario(plan))\n"
        "assert 'backup' in keys_of_group('The work', rare=False)\n"
        "assert 'backup_tb' in str(file_schema())\n"
        "assert '`backup_tb`' in field_page()\n"
    )
    tree.python("-c", code)
    grid = tree.root / "grid.yaml"
    grid.write_text("vary: {backup: [1, 2, 3]}\n", encoding="utf-8")
    tree.python("-m", "planner", "sweep", str(grid), "--csv", str(tree.root / "out.csv"), "--day", DAY)
    assert (tree.root / "out.csv").read_text(encoding="utf-8-sig").startswith('"id","work.0.backup_tb",')


VERB = '''"""`sites`: places."""

from planner.cli.common import OK

def add(verbs):
    verb = verbs.add_parser("sites", help="where one could run machines")
    verb.set_defaults(verb=run)

def run(args):
    from pricing import load_catalogue

    print(*load_catalogue().sites)
    return OK
'''


def test_a_way_of_supply(tree: Tree) -> None:
    tree.new("planner/money/ways/barter.py", BARTER)
    assert tree.kept_to("A way of supply")
    scenario = tree.root / "barter.yaml"
    scenario.write_text("ways: [own, on_demand, barter]\n", encoding="utf-8")
    assert tree.planner("plan", str(scenario))["best"] == "barter"


def test_a_verb(tree: Tree) -> None:
    tree.new("planner/cli/sites.py", VERB)
    tree.after("planner/cli/__init__.py", "VERBS = (prices, ", "sites, ")
    tree.after("planner/cli/__init__.py", "from planner.cli import (\n", "    sites,\n")
    assert tree.kept_to("A verb")
    assert "US-TX" in tree.python("-m", "planner", "sites")
    assert "where one could run machines" in tree.python("-m", "planner", "--help")
    assert "## sites" in tree.python("-m", "tools.help_page")


CHART = """

def useful_hours(answer: "Answer", dark: bool) -> go.Figure:
    \"\"\"How many useful hours each way has.\"\"\"
    hours = [float(way.option.useful_hours.sum()) for way in answer.ranked]
    data = [bars(None, hours, list(range(len(hours))), hatched_style(INK[dark], ""))]
    return style_figure(data, dark, 300, xaxis=axis("hours"), yaxis={})
"""
SEEN = """
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py", default_timeout=60).run()
assert not page.exception, page.exception
print("useful hours" in str([one.proto for one in page.get("plotly_chart")]), len(page.get("plotly_chart")))
"""


def test_a_chart(tree: Tree) -> None:
    shutil.copy(ROOT / "app.py", tree.root)
    shutil.copytree(ROOT / ".streamlit", tree.root / ".streamlit")
    path = "planner/report/charts.py"
    (tree.root / path).write_text((tree.root / path).read_text(encoding="utf-8") + CHART, encoding="utf-8")
    tree.touched.append(path)
    tree.after(path, "from planner.report.chart_frame import (\n", "    INK,\n")
    tree.after(
        "planner/web/pages/answer.py",
        "    show_answer.unavailable_options(plan)\n",
        '    show.chart(charts.useful_hours(answer, False), "Every way has the same useful hours", "useful")\n',
    )
    tree.after("planner/web/pages/answer.py", "from planner.report import ", "charts, ")
    assert tree.kept_to("A chart")
    before = int(tree.python("-c", SEEN.replace("app.py", str(ROOT / "app.py"))).split()[-1])
    assert int(tree.python("-c", SEEN).split()[-1]) == before + 1


CASE = """

@case("Example", "https://example.org", "2026")
def example_case() -> tuple[StatedNumber, ...]:
    return (StatedNumber("whole", "USD", 40, None, 0.001, lambda: 10 * 4),)
"""


def test_a_published_case(tree: Tree) -> None:
    shutil.copytree(ROOT / "tests" / "published", tree.root / "tests" / "published")
    for name in ("__init__.py", "facts.py"):
        shutil.copy(ROOT / "tests" / name, tree.root / "tests")
    path = "tests/published/sums.py"
    (tree.root / path).write_text((tree.root / path).read_text(encoding="utf-8") + CASE, encoding="utf-8")
    tree.touched.append(path)
    assert tree.kept_to("A published case")
    page = tree.python("-m", "tests.published.page")
    assert "[Source](https://example.org), 2026." in page
    assert "| whole | USD | 40 | 40 | 0 % | reproduced |" in page


def test_a_published_run(tree: Tree) -> None:
    path = "planner/speed/data/training_runs.csv"
    head, first, *_ = (tree.root / path).read_text(encoding="utf-8").splitlines()
    tree.after(path, f"{head}\n", first.replace("automodel-0001", "aaa-0001") + "\n")
    assert tree.kept_to("A published run")
    assert "aaa-0001" in {one["id"] for one in tree.planner("check", "training")["runs"]}


FEED = '''"""Prices of Example."""

from pricing.feeds.parsing import offers
from pricing.feeds.sources import PriceList, list_feed


def row(row):
    return offers("RunPod", row["gpu"], 1, {"on_demand": row["usd"]}, sku="Community Cloud")


FEED = list_feed(
    "example", "Example", "https://example.org", PriceList("https://api.example.org/prices", (), ("gpu", "usd"), row)
)
'''
REFRESHED = """
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
class Source(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'[{"gpu": "H100 SXM", "usd": 2.99}]')
server = HTTPServer(("127.0.0.1", 0), Source)
Thread(target=server.handle_request, daemon=True).start()
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.registry import asked_for
ways = Ways(at={"api.example.org": f"http://127.0.0.1:{server.server_address[1]}"})
(found,) = refresh(asked_for(["example"]), ways=ways).sources
assert (found.state, found.verdicts) == ("read", {"believed": 1}), found
"""


def test_a_source_of_live_prices(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tree.root / "data"))
    tree.new("pricing/feeds/sources/example.py", FEED)
    assert tree.kept_to("A source of live prices")
    assert "example" in tree.python("-m", "planner", "refresh", "--list")
    tree.python("-c", REFRESHED)
    offers = tree.planner("prices", "--provider", "runpod", "--accelerator", "h100 sxm")["offers"]
    assert [offer["usd_per_accelerator_hour"] for offer in offers if offer["source"] == "Example"] == [2.99]


def test_every_recipe_is_followed_here() -> None:
    followed = {name.removeprefix("test_").replace("_", " ") for name in globals() if name.startswith("test_a")}
    assert {recipe.lower() for recipe in SECTIONS} <= followed
