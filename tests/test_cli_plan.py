"""`plan`, `compare` and `schema`: end to end, on every preset and on files."""

import csv
import io
import json
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import BAD_INPUT, FAILED, OK
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue
from tests import golden
from tests.shell import DAY, run

pytestmark = pytest.mark.slow

KEYS = golden.KEYS


@pytest.mark.parametrize("key", KEYS)
def test_each_preset_says_what_is_kept(key: str) -> None:
    assert golden.text_of(key) == golden.kept(key)


@pytest.mark.parametrize("key", KEYS)
def test_each_preset_gives_json_and_csv_with_the_same_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str
) -> None:
    files = [tmp_path / name for name in ("cash.csv", "assumptions.csv", "results.csv")]
    flags = ["--csv", "--csv-assumptions", "--csv-results"]
    arguments = [word for flag, path in zip(flags, files, strict=True) for word in (flag, str(path))]
    code, out, err = run(capsys, "plan", key, *DAY, "--json", *arguments)
    assert (code, err) == (OK, "")
    told = json.loads(out)
    cash, _, results = (list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))) for path in files)
    totals = {row["option"]: float(row["present_usd"]) for row in results}
    assert {one["key"]: one["present_usd"] for one in told["options"]} == pytest.approx(totals)
    entered = sum(float(row["as_entered_usd"]) for row in results)
    assert sum(float(row["present_value"] or 0) for row in cash) == pytest.approx(entered)
    assert told["title"]
    assert told["verdict"]


def test_a_file_gives_what_its_scenario_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("accelerator: rtx 4090\nwork:\n  - accelerators: 2\n")
    code, out, err = run(capsys, "plan", str(path), *DAY, "--json")
    assert code == OK
    assert err == f"{path}: accelerator: rtx 4090 is taken for RTX-4090-24GB.\n"
    assert json.loads(out)["scenario"] == {"accelerator": "RTX-4090-24GB", "work": [{"accelerators": 2}]}


def test_a_file_of_an_earlier_day_is_reckoned_as_of_its_day_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("day: 2026-06-01\ncatalogue: abc\n")
    code, out, err = run(capsys, "plan", str(path), "--json")
    assert code == OK
    assert "made with other facts (digest abc; here" in err
    assert "as known on 2026-06-01" in err
    assert json.loads(out)["day"] == "2026-06-01"
    assert json.loads(out)["catalogue_day"] == "2026-06-01"


def test_a_saved_scenario_of_today_says_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    catalogue = load_catalogue()
    path.write_text(write_scenario(SavedScenario(Scenario(years=1.0), catalogue.day, catalogue.digest)))
    code, _, err = run(capsys, "plan", str(path), "--json")
    assert (code, err) == (OK, "")


def test_your_quotes_win(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    quotes = tmp_path / "quotes.csv"
    quotes.write_text("kind,provider,purchase,discount_share\ndiscount,RunPod,on_demand,0.5\n")
    path = tmp_path / "plan.yaml"
    path.write_text("ways: [on_demand]\nrent: {offer: runpod/H100-SXM5-80GB}\nyears: 1\n")
    code, _, err = run(capsys, "plan", str(path), *DAY)
    assert code == BAD_INPUT  # several offers: take the first that the sentence names
    offer = err.split(" can be ")[1].split(",")[0]
    path.write_text(f"ways: [on_demand]\nrent: {{offer: {offer}}}\nyears: 1\n")
    bills, options = [], []
    for arguments in ([], ["--quotes", str(quotes)]):
        code, out, _ = run(capsys, "plan", str(path), *DAY, "--json", *arguments)
        assert code == OK
        options.append(json.loads(out)["options"][0])
        lines = options[-1]["lines"]
        bills.append(next(line["total_usd"] for line in lines if line["name"] == "Useful hours"))
    others = options[0]["offer"]
    read, today = others["usd_per_accelerator_hour"], others["today_usd_per_accelerator_hour"]
    assert read != today  # a price of yours is as you say, that of others is aged
    assert bills[1] / bills[0] == pytest.approx(0.5 * read / today)


def test_compare_shows_both_and_what_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for path, many in zip(paths, (8, 16), strict=True):
        path.write_text(write_scenario(SavedScenario(Scenario(work=(Work(accelerators=many),)))))
    table = tmp_path / "table.csv"
    code, out, _ = run(capsys, "compare", *map(str, paths), *DAY, "--csv", str(table))
    assert code == OK
    compared, differ = out.split("What differs\n")
    assert "Verdict" in compared
    assert [line.split() for line in differ.splitlines()[2:]] == [["work.0.accelerators", "8", "16"]]
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(table.read_text("utf-8-sig"), newline=""))}
    code, out, _ = run(capsys, "compare", *map(str, paths), *DAY, "--json")
    told = json.loads(out)
    for place, one in enumerate(told["plans"]):
        best = next(option for option in one["options"] if option["key"] == one["best"])
        assert float(rows["Best option, net present cost, USD"][place]) == pytest.approx(best["present_usd"])


def test_the_same_twice_differs_in_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "compare", "startup", "startup", *DAY)
    assert code == OK
    assert "startup (2) is the same plan as startup (1)." in out
    assert "startup (2)" in out


def test_schema_is_json_schema_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "schema", "scenario")
    told = json.loads(out)
    assert code == OK
    assert {"schema", "day", "catalogue", "work", "own"} <= set(told["properties"])
    assert told["additionalProperties"] is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ways: [hosted]", "Not enough to answer yet."),
        ("ways: [own]", "Only buying was chosen."),
        ("accelerator: TPU v6e\nways: [own]", "Not enough to answer yet."),
        (
            "years: 0.25\nwork: [{accelerators: 1, busy_share: 0.01}]\nterms: {timing: dated, money: real}\n"
            "kept: {accelerators: 4, usd_today_if_sold: 1000}\nrent_to_own: {usd_per_month: 3, months: 2}",
            "Keep",
        ),
        ("years: 10\nwork: [{accelerators: 16384, busy_share: 1}]\nmix: {}\ntax: {}", "Tax"),
    ],
)
def test_odd_plans_are_told_and_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path, files = tmp_path / "plan.yaml", [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    path.write_text(text)
    flags = zip(("--csv", "--csv-assumptions", "--csv-results"), map(str, files), strict=True)
    code, out, _ = run(capsys, "plan", str(path), *DAY, *(word for pair in flags for word in pair))
    assert code == OK
    assert said in out
    assert all(file.read_bytes().count(b"\r\n") >= 1 for file in files)


@pytest.mark.parametrize(("text", "said"), [
    ("work:\n  - busy_share: 1.6\n", "plan.yaml: Line 2: work.0.busy_share: 1.6 must be 0.01 to 1"),
    ("accelerator: h1000", "Did you mean"),
    ("schema: 9", "newer version"),
])  # fmt: skip
def test_a_bad_file_is_two_and_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    code, out, err = run(capsys, "plan", str(path))
    assert (code, out) == (BAD_INPUT, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["plan", "chat"], BAD_INPUT, "the presets are startup, enterprise, research-lab"),
    (["plan"], BAD_INPUT, "required"), (["plan", "none.yaml"], FAILED, "No such file"),
    (["plan", "/dev"], FAILED, "Is a directory"), (["compare", "startup"], BAD_INPUT, "want 2 to 8 scenarios"),
    (["schema", "offer"], BAD_INPUT, "invalid choice"),
    (["plan", "startup", "--csv", "/no/such/folder/x.csv"], FAILED, "No such file"),
])  # fmt: skip
def test_what_cannot_be_done_is_said(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    got, out, err = run(capsys, *arguments)
    assert (got, out) == (code, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_the_best_mix_is_found_for_a_file_that_names_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "peaks.yaml"
    path.write_text(
        "own: {lead_time_months: 0}\nwork:\n  - {accelerators: 8, busy_share: 0.95}\n"
        "  - {accelerators: 32, busy_share: 0.1}\n",
        encoding="utf-8",
    )
    assert main(["plan", str(path), "--day", "2026-11-21", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["title"], told["best"]) == ("Probably own 8 and rent the peaks.", "mix")
    assert "mix" not in told["scenario"]  # what was asked stays what was asked


@pytest.mark.parametrize("name", ["any", "Any", " ANY "])
def test_any_accelerator_needs_something_to_choose_for(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "any.yaml"
    path.write_text(f"accelerator: '{name}'\nwork: [{{accelerators: 8}}]\n")
    assert main(["plan", str(path)]) == BAD_INPUT
    assert "any needs a model or a run to choose for: name one, or name an accelerator" in capsys.readouterr().err


def test_studies_that_take_long_are_printed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    sections = ("What carries the answer\n---", "Buy now or wait\n---", "In other numbers\n---")
    assert main(["plan", "startup", "--day", "2026-11-21"]) == OK
    short = capsys.readouterr().out
    assert not any(section in short for section in sections)
    assert "With --full: " in short
    assert main(["plan", "startup", "--full", "--day", "2026-11-21"]) == OK
    whole = capsys.readouterr().out
    assert all(section in whole for section in sections)
    assert "With --full: " not in whole
