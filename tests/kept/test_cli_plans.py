"""`plans` and `watch` on kept plans: frozen figures, what changed until today, what differs between versions."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.cli.common import BAD_INPUT, NEWS, OK
from planner.store import Right
from planner.store.access import Asker
from planner.store.kept import PlanStore
from planner.store.versions import release_note
from pricing.feeds import live
from tests.facts import CATALOGUE
from tests.kept.made import later_facts, version
from tests.shell import DAY, run

pytestmark = pytest.mark.slow


@pytest.fixture
def lab(place: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> str:
    """A kept plan of eight H100."""
    path = tmp_path / "lab.yaml"
    path.write_text("years: 3\n")
    code, out, _ = run(capsys, "plans", "save", str(path), "--name", "Lab", "--folder", "CC 12", "--tag", "a", *DAY)
    assert (code, out[:30]) == (OK, "“Lab” is kept as version 1. Pr")
    return place


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, _ = run(capsys, "plans", *arguments, "--json")
    assert code == OK
    return json.loads(out)


def test_next_month_it_opens_with_the_same_cents_and_says_what_changed(
    lab: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(capsys, "show", "Lab")
    monkeypatch.setattr(live, "current", later_facts)
    after = shown(capsys, "show", "Lab")
    assert after["options"] == before["options"]
    assert (after["title"], after["catalogue_digest"]) == (before["title"], CATALOGUE.digest)
    kept = after["kept"]
    assert any("change this answer" in line or "its money moves" in line for line in kept["sentences"])
    rent = [row for row in kept["changed_figures"] if "Rent on demand" in row["Options"] and "$" in row["Then"]]
    assert rent
    assert all(row["Then"] != row["Today"] for row in kept["changed_figures"])


def test_one_word_moves_on_and_the_old_version_stays(
    lab: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = shown(capsys, "show", "Lab")["options"]
    monkeypatch.setattr(live, "current", later_facts)
    moved = shown(capsys, "show", "Lab", "--today")
    assert moved["day"] == date.today().isoformat()
    assert shown(capsys, "show", "Lab")["options"] == moved["options"] != old
    assert shown(capsys, "show", "Lab", "--version", "1")["options"] == old
    different = shown(capsys, "diff", "Lab")
    assert different["fields"] == []
    assert {"Rent on demand"} <= {row["Option"] for row in different["measures"]}
    row = next(
        row for row in different["measures"] if row["Measure"] == "present_usd" and row["Option"] == "Rent on demand"
    )
    usd = {option["label"]: option["present_usd"] for option in moved["options"]}
    was = {option["label"]: option["present_usd"] for option in old}
    assert row["Change"] == pytest.approx(usd["Rent on demand"] - was["Rent on demand"])


def test_the_difference_is_told_in_fields_and_numbers(
    lab: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text("years: 2\n")
    run(capsys, "plans", "save", str(path), "--name", "Lab", *DAY)
    code, out, err = run(capsys, "plans", "diff", "Lab")
    assert (code, err) == (OK, "")
    line = next(line for line in out.splitlines() if line.startswith("For how long, years"))
    assert line.split()[-2:] == ["3", "2"]
    assert "Net present cost, USD" in out
    assert "The same figures." in out


def test_lists_labels_duplicates_and_archives(lab: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "plans", "duplicate", "Lab", "Room")[1] == "“Room” is kept as version 1.\n"
    assert [row["Plan"] for row in shown(capsys, "list", "--search", "room")["plans"]] == ["Room"]
    assert "folder X, tags b" in run(capsys, "plans", "label", "lab", "--folder", "X", "--tag", "b")[1]
    assert "is archived" in run(capsys, "plans", "archive", "Lab")[1]
    assert [row["Plan"] for row in shown(capsys, "list")["plans"]] == ["Room"]
    assert "is back" in run(capsys, "plans", "restore", "Lab")[1]
    code, _, err = run(capsys, "plans", "show", "Labb")
    assert (code, err) == (BAD_INPUT, "No kept plan is called “Labb”; did you mean “Lab”?\n")
    assert run(capsys, "plans", "show", "Lab", "--yaml")[1].startswith("# A plan")


def test_a_plan_of_this_machine_is_shared_and_the_trail_names_who_did_it(
    lab: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "plans", "share", "Lab", "Bob@example.org", "@finance", "--may", "edit", "--by", "Ada")
    assert (code, out) == (OK, "“Lab” is shared with the group finance: edit; bob@example.org: edit.\n")
    bob = PlanStore(Asker("bob@example.org"))
    assert [plan.right for plan in bob.plans()] == [Right.EDIT]
    assert run(capsys, "plans", "unshare", "Lab", "@finance")[1] == "“Lab” is shared with bob@example.org: edit.\n"
    assert shown(capsys, "access", "Lab")["shares"] == [{"Who": "bob@example.org", "May": "edit"}]
    lines = shown(capsys, "trail", "Lab")["trail"]
    assert [line["What"] for line in lines] == ["unshared", "shared", "shared", "saved"]
    assert lines[1]["Who"].startswith("Ada (account ")
    code, _, err = run(capsys, "plans", "share", "Lab", "no one")
    assert (code, err) == (BAD_INPUT, "Want an e-mail address, @group or everyone, got “no one”.\n")


def test_a_shell_knows_no_plan_of_who_signs_in(lab: str, capsys: pytest.CaptureFixture[str]) -> None:
    eve = PlanStore(Asker("eve@example.org"))
    eve.share(eve.save("Secret", version(), CATALOGUE).id, ["everyone"], Right.EDIT)
    assert [row["Plan"] for row in shown(capsys, "list")["plans"]] == ["Lab"]
    for verb in (("show",), ("diff",), ("access",), ("trail",), ("archive",), ("label",), ("share", "a@b.org")):
        code, _, err = run(capsys, "plans", verb[0], "Secret", *verb[1:])
        assert (code, err) == (BAD_INPUT, "No kept plan is called “Secret”.\n"), verb
    assert "eve" not in run(capsys, "plans", "trail")[1]


def test_a_watched_plan_says_when_its_answer_turns(
    lab: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "watch", "Lab")
    before = shown(capsys, "show", "Lab")["best"]
    monkeypatch.setattr(live, "current", lambda: later_facts(2.5))
    code, out, _ = run(capsys, "watch", "Lab")
    assert before == "on_demand"
    assert code == NEWS
    assert out.startswith("Lab: Today's prices change this answer from")
    assert run(capsys, "watch", "Lab")[:2] == (OK, "")


def test_your_own_prices_are_kept_with_the_figures(
    lab: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quotes, path = tmp_path / "quotes.csv", tmp_path / "lab.yaml"
    quotes.write_text("kind,provider,purchase,discount_share\ndiscount,RunPod,on_demand,0.5\n")
    arguments = (str(path), "--quotes", str(quotes), *DAY)
    expected = json.loads(run(capsys, "plan", *arguments, "--json")[1])["options"]
    assert run(capsys, "plans", "save", *arguments, "--name", "Quoted")[0] == OK
    quotes.unlink()
    monkeypatch.setattr(live, "current", later_facts)
    assert shown(capsys, "show", "Quoted")["options"] == expected


def test_another_release_that_calculates_otherwise_is_named() -> None:
    kept = version().result
    assert release_note(kept, kept, "1.0") == ""
    moved = json.loads(json.dumps(kept))
    moved["options"]["on_demand"]["measures"]["present_usd"] += 1.0
    assert release_note(kept, moved, "1.0") == (
        f"Release 1.0 of the program saved “{kept['title']}”; this one calculates 1 measure otherwise."
    )


def test_kept_plans_of_a_folder_share_a_fleet(lab: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "chat.yaml").write_text("name: Chat\nwork: [{accelerators: 24, busy_share: 0.7}]\n")
    run(capsys, "plans", "save", str(tmp_path / "chat.yaml"), "--folder", "CC 12", "--tag", "prod", *DAY)
    code, out, err = run(capsys, "portfolio", "--folder", "cc 12", "--json", *DAY)
    assert (code, err) == (OK, "")
    shared = json.loads(out)
    assert [(row["Team"], row["Plan"]) for row in shared["chargeback"]] == [("CC 12", "Chat"), ("CC 12", "Lab")]
    assert shared["present_usd"] == pytest.approx(sum(fleet["Net present cost, USD"] for fleet in shared["fleets"]))
    assert sum(row["Pays, USD"] for row in shared["teams"]) == pytest.approx(
        shared["fleets"][0]["Total cash, USD"], abs=0.006
    )
    (tmp_path / "all.yaml").write_text(
        "plans:\n  - {plan: Lab, team: Research}\n  - {plan: chat.yaml, name: Bot, starts_in_month: 7}\n"
    )
    files = {name: tmp_path / f"{name}.csv" for name in ("csv", "demand", "focus")}
    arguments = [text for name, path in files.items() for text in (f"--{name}", str(path))]
    code, out, err = run(capsys, "portfolio", str(tmp_path / "all.yaml"), "--by", "peak", *arguments, *DAY)
    assert (code, err) == (OK, "")
    assert "Research  Lab " in out
    assert [len(path.read_text("utf-8").splitlines()) for path in files.values()] == [1 + 2 * 42, 1 + 42, 1 + 36 + 36]
    code, _, err = run(capsys, "portfolio", "Lab", "Labb", *DAY)
    assert (code, err) == (BAD_INPUT, "No kept plan is called “Labb”; did you mean “Lab”?\n")


def test_a_bill_is_imported_and_shown_when_the_plan_opens(
    lab: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "nov.csv"
    head = "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingQuantity,PricingUnit,ServiceCategory"
    path.write_text(f"{head}\n900,USD,Usage,2026-11-25T00:00:00Z,10,Hours,Compute\n")
    arguments = ("actuals", "Lab", str(path), "--gpus-per-machine", "4", "--version", "1")
    code, out, err = run(capsys, "plans", *arguments, "--json")
    assert (code, err) == (OK, "nov.csv is kept with version 1 of “Lab”.\n")
    actuals = json.loads(out)["actuals"]
    assert actuals["billed_by_month_usd"] == [900.0]
    assert "An hour of a machine counts as 4 GPU-hours." in actuals["notes"]
    path.unlink()
    assert shown(capsys, "show", "Lab")["actuals"] == actuals
    assert "\nActuals\n-------\n" in run(capsys, "plans", "show", "Lab")[1]
