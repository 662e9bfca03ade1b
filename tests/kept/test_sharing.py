"""Who may see and change a plan: its author, whom they share it with, and nobody by a name, a number or a guess."""

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa

from planner.cli.common import OK
from planner.store import Right
from planner.store.access import Asker, UnknownPlanError, end_sign_in, has_ended
from planner.store.database import HEAD, TRAIL, reading, writing
from planner.store.kept import PlanStore
from planner.store.versions import open_version
from pricing import PricingError
from pricing.feeds.database import opened
from pricing.feeds.folder import StoreError
from pricing.feeds.naming import trail
from tests.facts import CATALOGUE
from tests.kept.made import AT, version
from tests.rows import each_row
from tests.shell import run

pytestmark = pytest.mark.slow


def store(name: str, *groups: str) -> PlanStore:
    return PlanStore(Asker(name, frozenset(groups), name.title()))


ADA, BOB, EVE = (store(f"{name}@example.org") for name in ("ada", "bob", "eve"))


@pytest.fixture
def lab(place: str) -> int:
    """A plan of Ada's, its number."""
    return ADA.save("Lab", version(), CATALOGUE).id


READS: list[Callable[[PlanStore, Any], object]] = [
    lambda it, plan: it.find(plan.id),
    lambda it, plan: it.find("Lab"),
    lambda it, plan: it.version(plan, 1),  # a record that somebody else was given
    lambda it, plan: open_version(it, plan.id),
    lambda it, plan: it.trail(plan.id),
    lambda it, plan: it.duplicate(plan.id, "Mine", AT),
]
CHANGES: list[Callable[[PlanStore, Any], object]] = [
    lambda it, plan: it.save(plan.id, version(2.0), CATALOGUE),
    lambda it, plan: it.label(plan.id, {"folder": "F"}),
    lambda it, plan: it.add_actuals(plan, 1, "a bill", AT),
]
OF_AUTHOR: list[Callable[[PlanStore, Any], object]] = [
    lambda it, plan: it.archive(plan.id, AT),
    lambda it, plan: it.restore(plan.id),
    lambda it, plan: it.share(plan.id, ["eve@example.org"], Right.EDIT),
    lambda it, plan: it.share(plan.id, ["bob@example.org"], None),
    lambda it, plan: it.shares(plan.id),
]


def test_who_was_given_nothing_learns_nothing(lab: int) -> None:
    plan = ADA.find(lab)
    ADA.add_actuals(plan, 1, "a bill", AT)
    for use in (*READS, *CHANGES, *OF_AUTHOR):
        with pytest.raises(UnknownPlanError) as refused:
            use(EVE, plan)
        assert "Ada" not in str(refused.value)
        assert "ada" not in str(refused.value)
    for it in (EVE, PlanStore(), store("")):
        assert it.plans() == it.versions(plan) == it.trail() == it.actuals(plan, 1) == []
        assert it.facts(plan.newest.digest) is None
    with pytest.raises(UnknownPlanError) as real:
        EVE.find(lab)
    with pytest.raises(UnknownPlanError) as guess:
        EVE.find(lab + 1)
    assert str(real.value) == str(guess.value)
    with pytest.raises(UnknownPlanError, match=r"^No kept plan is called “Lab”\.$"):
        EVE.find("Lab")
    assert ADA.versions(plan)[1:] == []


def test_to_view_to_edit_and_no_more(lab: int) -> None:
    plan = ADA.find(lab)
    ADA.share(lab, [" BOB@Example.org "], Right.VIEW)
    assert [(it.name, it.author, it.right) for it in BOB.plans()] == [("Lab", "ada@example.org", Right.VIEW)]
    for use in READS:
        use(BOB, plan)
    for use in (*CHANGES, *OF_AUTHOR):
        with pytest.raises(PricingError, match="You may see “Lab” and no more: it belongs to ada@"):
            use(BOB, plan)
    ADA.share(lab, ["bob@example.org"], Right.EDIT)
    saved = BOB.save(lab, version(2.0, "Bob"), CATALOGUE, base=1)
    assert (saved.newest.number, saved.author) == (2, "ada@example.org")
    assert BOB.label(lab, {"folder": "CC 7"}).folder == "CC 7"
    with pytest.raises(PricingError, match="Bob saved “Lab” as version 2"):
        ADA.save(lab, version(3.0), CATALOGUE, base=1)
    for use in OF_AUTHOR:
        with pytest.raises(PricingError, match="You may change “Lab” and no more"):
            use(BOB, plan)
    ADA.share(lab, ["bob@example.org"], None)
    for use in (*READS[:4], *CHANGES):
        with pytest.raises(UnknownPlanError):
            use(BOB, plan)
    assert BOB.find("Mine").author == "bob@example.org"  # the copy that he made while he might


@each_row(("shared", "asker", "sees"), [
    ("everyone", store("eve@example.org"), True), ("*", store("eve@example.org"), True),
    ("everyone", PlanStore(), False), ("@Sales", store("eve@example.org", "@sales"), True),
    ("@sales", store("eve@example.org", "@sale"), False), ("@sales", store("sales"), False),
    ("eve@example.org", store("eve@example.org.evil"), False), ("eve@example.org", store("eve@exampleXorg"), False),
    ("eve%", store("eve@example.org"), False), ("eve_example.org", store("eve@example.org"), False),
])  # fmt: skip
def test_whom_a_share_means(place: str, shared: str, asker: PlanStore, sees: bool) -> None:
    plan = ADA.save("Lab", version(), CATALOGUE).id
    ADA.share(plan, [shared], Right.VIEW)
    shown = asker.plans()
    ADA.share(plan, [shared], None)
    assert bool(shown) == sees
    assert asker.plans() == []


@each_row(("name", "wish"), [
    ("", "Want an e-mail"), ("a b@x.org", "Want an e-mail"), ("a@x.org,b@x.org", "Want an e-mail"),
    ("\u212aate@x.org", "Want an e-mail"), ("ada@example.org", "belongs to ada"), ("x" * 101, "Want an e-mail"),
    ("a@b@c", "Want an e-mail"), ("@", "Want an e-mail"),
])  # fmt: skip
def test_whom_nobody_can_share_with(lab: int, name: str, wish: str) -> None:
    with pytest.raises(PricingError, match=wish):
        ADA.share(lab, ["bob@example.org", name], Right.VIEW)
    assert ADA.shares(lab) == {}


def test_one_s_own_plan_comes_before_a_shared_one_of_its_name(lab: int) -> None:
    ADA.share(lab, ["everyone"], Right.EDIT)
    own = BOB.save("Lab", version(2.0), CATALOGUE)
    assert own.id != lab
    assert BOB.find("lab").id == own.id
    assert {plan.id for plan in BOB.plans()} == {lab, own.id}


def test_the_trail_names_every_change_and_only_grows(lab: int) -> None:
    ADA.share(lab, ["bob@example.org"], Right.EDIT)
    BOB.save(lab, version(2.0), CATALOGUE)
    ADA.label(lab, {"folder": "F"})
    ADA.archive(lab, AT)
    ADA.restore(lab)
    ADA.share(lab, ["bob@example.org"], None)
    lines = [line[2:] for line in ADA.trail("Lab")]
    ada, bob = "Ada@Example.Org", "Bob@Example.Org"
    assert lines == [
        (ada, "unshared", "bob@example.org"), (ada, "restored", ""), (ada, "archived", ""),
        (ada, "labelled", "folder F"), (bob, "saved", "version 2"), (ada, "shared", "bob@example.org: edit"),
        (ada, "saved", "version 1"),
    ]  # fmt: skip
    for change in (sa.update(TRAIL).values(person="Eve"), sa.delete(TRAIL)):
        with pytest.raises(PricingError, match="only grows"), writing() as connection:
            connection.execute(change)
    assert [line[2:] for line in ADA.trail("Lab")] == lines


def test_a_change_that_is_refused_leaves_no_line(lab: int) -> None:
    ADA.share(lab, ["bob@example.org"], Right.VIEW)
    before = ADA.trail()
    for use in (*CHANGES, *OF_AUTHOR):
        with pytest.raises(PricingError):
            use(BOB, ADA.find(lab))
    assert ADA.trail() == before


def test_a_sign_in_that_ended_is_kept(place: str) -> None:
    assert not has_ended("d")
    end_sign_in("d", AT)
    end_sign_in("d", AT)
    assert has_ended("d")
    assert not has_ended("e")


def test_plans_of_the_release_before_are_read_without_a_save(lab: int) -> None:
    with writing() as connection:
        for table in ("shares", "trail", "sign_outs", "actuals"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    assert ADA.find("Lab").newest.number == 1
    with reading() as connection:
        assert connection is not None
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == HEAD


def test_decisions_about_live_prices_only_grow_too(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):  # made, and opened again
        with closing(opened()) as database:
            database.run(f"INSERT INTO refreshes VALUES ({number}, 'r', 's', '', '', '', '', '', '', '', 0, 0, '')")
            database.run(
                f"INSERT INTO events VALUES ({number}, '2026-11-26T09:30', 'undone', {number}, NULL, '', 'Ada')"
            )
            for change in ("UPDATE events SET person = 'Eve'", "DELETE FROM events"):
                with pytest.raises(StoreError, match="only grows"):
                    database.run(change)
            assert set(trail(database)) == {("2026-11-26T09:30", "s", "undone", "0", "Ada")}
    code, out, _ = run(capsys, "held", "--trail", "--json")
    assert code == OK
    line = {"When (UTC)": "2026-11-26 09:30", "Source": "s", "What": "undone", "Prices": "", "Who": "Ada"}
    assert line in json.loads(out)["trail"]
