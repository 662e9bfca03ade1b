"""Saving, versions, lists, labels, duplicates, archives: the same on SQLite and on PostgreSQL."""

from dataclasses import replace
from datetime import date

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from planner.report.accounting.actual_words import actuals_of
from planner.report.accounting.bill_file import Bill, BillError, read_bill
from planner.store.access import Asker, UnknownPlanError
from planner.store.database import ACTUALS, FACTS, HEAD, METADATA, VERSIONS, reading, writing
from planner.store.kept import PlanFilter, PlanStore
from planner.store.versions import kept_actuals, monthly_bill, open_version
from pricing import PricingError
from tests.facts import CATALOGUE, DAY
from tests.kept.made import AT, later_facts, report, version
from tests.rows import each_row

pytestmark = pytest.mark.slow


def test_nothing_is_set_up_before_the_first_save(place: str) -> None:
    assert PlanStore().plans() == []
    with pytest.raises(UnknownPlanError, match="No plan is kept yet"):
        PlanStore().find("Lab")


def test_every_save_is_a_version_and_the_older_ones_stay(place: str) -> None:
    store = PlanStore()
    first = store.save("Lab", version(), CATALOGUE, labels={"folder": "CC 12", "tags": ["pilot", "h100"]})
    second = store.save("lab", version(2.0, "Bob"), CATALOGUE)  # upper and lower case are alike
    assert (first.newest.number, second.newest.number) == (1, 2)
    assert (second.name, second.folder, second.tags) == ("Lab", "CC 12", ("pilot", "h100"))
    assert [(each.number, each.person) for each in store.versions(second)] == [(2, "Bob"), (1, "Ada")]
    assert store.version(second, 1) == replace(version(), number=1)
    assert store.version(second, 1).text == version().text
    with pytest.raises(UnknownPlanError, match="versions 1 to 2, not 3"):
        store.version(second, 3)


def test_a_version_comes_back_with_its_facts_whole_and_once_for_all(place: str) -> None:
    store = PlanStore()
    for name in ("Lab", "Lab", "Room"):
        store.save(name, version(), CATALOGUE)
    opened = open_version(store, "Lab")
    assert opened.facts == CATALOGUE
    assert opened.scenario.years == 3.0
    with reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(FACTS)).scalar() == 1
        assert connection.execute(sa.select(sa.func.count()).select_from(VERSIONS)).scalar() == 3
    store.save("Lab", replace(version(), digest=later_facts().digest), later_facts())
    assert open_version(store, "Lab").facts == later_facts()
    assert open_version(store, "Lab", 1).facts == CATALOGUE


def test_a_list_is_searched_and_the_archived_leave_it(place: str) -> None:
    store = PlanStore()
    for hour, (name, folder, tags) in enumerate([("Lab", "CC 12", ["a"]), ("Chat", "cc 12", []), ("Old", "", ["a"])]):
        labels = {"folder": folder, "tags": tags}
        store.save(name, replace(version(), saved=AT.replace(hour=hour)), CATALOGUE, labels=labels)
    assert names(store) == ["Old", "Chat", "Lab"]
    for wanted, found in (
        (PlanFilter(folder="CC 12"), ["Chat", "Lab"]), (PlanFilter(tag="A"), ["Old", "Lab"]),
        (PlanFilter(search="lab cc"), ["Lab"]), (PlanFilter(search="nothing"), []),
    ):  # fmt: skip
        assert names(store, wanted) == found
    assert store.archive("Old", AT).archived
    assert names(store) == ["Chat", "Lab"]
    assert names(store, PlanFilter(archived=True)) == ["Old"]
    with pytest.raises(PricingError, match="is archived: restore it"):
        store.save("Old", version(), CATALOGUE)
    assert not store.restore("Old").archived
    assert names(store) == ["Old", "Chat", "Lab"]


def names(store: PlanStore, wanted: PlanFilter | None = None) -> list[str]:
    return [plan.name for plan in store.plans(wanted)]


def test_a_duplicate_is_a_plan_of_its_own(place: str) -> None:
    store = PlanStore()
    store.save("Lab", version(), CATALOGUE, labels={"folder": "F", "tags": ["t"]})
    store.save("Lab", version(2.0), CATALOGUE)
    store = PlanStore(Asker(person="Bob"))
    copy = store.duplicate("Lab", "Lab 2", AT)
    assert (copy.newest.number, copy.newest.person, copy.folder, copy.tags) == (1, "Bob", "F", ("t",))
    assert open_version(store, "Lab 2").scenario.years == 2.0
    with pytest.raises(PricingError, match="saved “Lab” as version 2"):
        store.duplicate("Lab 2", "Lab", AT)
    assert store.label("Lab 2", {"folder": "", "tags": ["x", "x"]}).tags == ("x",)
    assert store.find("Lab").tags == ("t",)


def test_the_second_of_two_people_is_told_and_loses_nothing(place: str) -> None:
    ada, bob = PlanStore(), PlanStore()
    ada.save("Lab", version(), CATALOGUE, base=0)
    ada.save("Lab", version(2.0), CATALOGUE, base=1)
    with pytest.raises(PricingError, match=r"Ada saved “Lab” as version 2 .* after you opened version 1"):
        bob.save("Lab", version(1.0, "Bob"), CATALOGUE, base=1)
    assert len(bob.versions(bob.find("Lab"))) == 2
    with pytest.raises(PricingError, match="before you"):
        bob.save("Lab", version(1.0, "Bob"), CATALOGUE, base=0)
    assert bob.save("Lab", version(1.0, "Bob"), CATALOGUE, base=2).newest.number == 3


def test_authors_do_not_see_each_others_plans(place: str) -> None:
    PlanStore(Asker("ada@example.org")).save("Lab", version(), CATALOGUE)
    assert PlanStore(Asker("bob@example.org")).plans() == []
    assert PlanStore().plans() == []
    with pytest.raises(UnknownPlanError):
        PlanStore(Asker("bob@example.org")).find("Lab")
    assert PlanStore(Asker("bob@example.org")).save("Lab", version(), CATALOGUE).newest.number == 1


@each_row(("name", "labels", "wish"), [
    ("", {}, "A name has 1 to 120"), (" ", {}, "A name"), ("x" * 121, {}, "got 121"), ("a\u202eb", {}, "A name"),
    ("Lab", {"folder": "x" * 121}, "A folder has 0 to 120"), ("Lab", {"tags": [""]}, "A tag has 1 to 120"),
    ("Lab", {"tags": [str(n) for n in range(21)]}, "at most 20 tags, got 21"),
])  # fmt: skip
def test_what_cannot_be_a_label_is_refused(place: str, name: str, labels: dict[str, object], wish: str) -> None:
    with pytest.raises(PricingError, match=wish):
        PlanStore().save(name, version(), CATALOGUE, labels=labels)
    assert PlanStore().plans() == []


def test_migrations_lead_to_the_tables_that_the_program_uses(place: str) -> None:
    with writing() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == HEAD
        assert compare_metadata(context, METADATA) == []


def test_tables_of_a_newer_release_are_left_alone(place: str) -> None:
    PlanStore().save("Lab", version(), CATALOGUE)
    with writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    for use in (lambda: PlanStore().plans(), lambda: PlanStore().save("Lab", version(), CATALOGUE)):
        with pytest.raises(PricingError, match="newer release of this program"):
            use()


def test_a_cell_that_somebody_changed_is_a_sentence(place: str) -> None:
    PlanStore().save("Lab", version(), CATALOGUE)
    with writing() as connection:
        connection.execute(sa.update(VERSIONS).values(result="{"))
    with pytest.raises(PricingError, match="damaged: version 1 holds"):
        PlanStore().plans()
    with writing() as connection:
        connection.execute(sa.update(FACTS).values(packed=b"no"))
    with pytest.raises(PricingError, match="are damaged"):
        PlanStore().facts(CATALOGUE.digest)


HEAD_OF_BILL = (
    "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingQuantity,PricingUnit,ServiceCategory,"
    "ProviderName"
)


def bill(name: str, *rows: str) -> Bill:
    """Rows are what is billed, the day, hours and who bills."""
    cells = (row.split() for row in rows)
    lines = (f"{usd},USD,Usage,{day}T00:00:00Z,{hours},Hours,Compute,{who}" for usd, day, hours, who in cells)
    return read_bill("\n".join((HEAD_OF_BILL, *lines)).encode(), name, {})


def test_the_months_of_bills_stay_with_their_version(place: str) -> None:
    store, plan = PlanStore(), report().plan  # of 2026-11-21: its second month begins on 2026-12-21
    for day in (DAY, DAY, AT.date().replace(day=22)):
        lab = store.save("Lab", replace(version(), day=day), CATALOGUE)
    bills = (
        bill("nov.csv", "70 2026-11-01 1 AWS", "100 2026-11-25 10 AWS", "200 2026-12-20 20 AWS"),
        bill("azure.csv", "50 2026-12-01 5 Azure"),
        bill("dec.csv", "300 2026-12-19 30 AWS", "400 2026-12-22 40 AWS")._replace(each=4),
    )
    for each in bills:
        store.add_actuals(lab, 1, monthly_bill(plan, each), AT)
    kept = kept_actuals(store, lab, 1)
    assert kept is not None
    assert (kept_actuals(store, lab, 2), kept_actuals(store, lab, 3)) == (kept, None)  # of the same day, of a later one
    # The later bill of AWS holds for the months that it has, beside Azure's; what lies before the plan is not kept.
    months = {day: sum(charge.usd for charge in kept.charges if charge.day == day) for day in (DAY, date(2026, 12, 21))}
    assert months == {DAY: 350.0, date(2026, 12, 21): 400.0}
    assert (len(kept.charges), kept.rows, kept.each) == (3, 3, 4)
    assert actuals_of(plan, kept).spending[""].hours["On demand"][1:3].tolist() == [35 * 4, 40 * 4]
    with pytest.raises(BillError, match=r"old.csv begins on 1 Jan 2025, and the plan runs from"):
        monthly_bill(plan, bill("old.csv", "70 2025-01-01 1 AWS"))
    with writing() as connection:
        connection.execute(sa.update(ACTUALS).values(bill="{}"))
    with pytest.raises(PricingError, match="a bill of “Lab” cannot be read"):
        kept_actuals(store, lab, 1)
