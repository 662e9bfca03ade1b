"""What is done with kept plans. Each change is one transaction; a version that was saved is never changed."""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from urllib.parse import parse_qsl

import sqlalchemy as sa

from planner.store import Right, access
from planner.store.access import THIS_MACHINE, Asker, UnknownPlanError
from planner.store.database import ACTUALS, FACTS, PLANS, VERSIONS, reading, writing
from pricing import Catalogue
from pricing.errors import PricingError
from pricing.formulas import unseen

LONGEST_NAME, MOST_TAGS = 120, 20
_MOST_FACTS_BYTES = 100_000_000  # unpacked; a catalogue has 2 MB


@dataclass(frozen=True)
class PlanVersion:
    """One save of a plan."""

    day: date  # of the plan
    digest: str  # of the facts it used
    text: str  # the file of the plan
    link: str  # empty where a link cannot hold it
    result: Mapping[str, Any]  # title, best option, net present cost of the compared options, measures by option
    release: str  # of the program
    saved: datetime
    person: str
    number: int = 0


@dataclass(frozen=True)
class KeptPlan:
    """A kept plan with its newest version."""

    id: int
    name: str
    folder: str
    tags: tuple[str, ...]
    archived: bool
    newest: PlanVersion
    author: str = ""  # empty: the people of this machine
    right: Right = Right.OWN  # of the person who asks


@dataclass(frozen=True)
class PlanFilter:
    """Which plans a list shows."""

    search: str = ""  # words in names, folders, tags, answers and values of the plan
    folder: str = ""
    tag: str = ""
    archived: bool = False

    def takes(self, plan: KeptPlan) -> bool:
        """Return whether a plan is shown."""
        if plan.archived != self.archived or (self.folder and plan.folder.casefold() != self.folder.casefold()):
            return False
        if self.tag and self.tag.casefold() not in map(str.casefold, plan.tags):
            return False
        values = (value for _, value in parse_qsl(plan.newest.link))
        words = " ".join((plan.name, plan.folder, *plan.tags, plan.newest.result["title"], *values)).casefold()
        return all(word in words for word in self.search.casefold().split())


@dataclass(frozen=True)
class PlanStore:
    """The kept plans that a person may see; each method refuses what the person may not do."""

    asker: Asker = THIS_MACHINE
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, hash=False, compare=False)

    def plans(self, wanted: PlanFilter | None = None) -> list[KeptPlan]:
        """Return the plans that a filter takes, the last saved first."""
        wanted = wanted or PlanFilter()
        with reading(self.environ) as connection:
            rows = connection.execute(access.visible(self.asker)) if connection is not None else ()
            plans = list(map(_plan, rows))
        return sorted(filter(wanted.takes, plans), key=lambda plan: plan.newest.saved, reverse=True)

    def find(self, plan: str | int) -> KeptPlan:
        """Return a plan by its name or number, archived or not; one's own first."""
        with reading(self.environ) as connection:
            if connection is None:
                raise UnknownPlanError("No plan is kept yet.")
            return self._find(connection, plan)

    def versions(self, plan: KeptPlan) -> list[PlanVersion]:
        """Return all versions of a plan, the newest first."""
        query = sa.select(VERSIONS).where(VERSIONS.c.plan == plan.id, self._sees(VERSIONS.c.plan))
        with reading(self.environ) as connection:
            rows = () if connection is None else connection.execute(query.order_by(VERSIONS.c.number.desc()))
            return list(map(_version, rows))

    def version(self, plan: KeptPlan, number: int | None) -> PlanVersion:
        """Return a version of a plan by its number; the newest where none is named."""
        versions = {version.number: version for version in self.versions(plan)}
        if (number or plan.newest.number) not in versions:
            raise UnknownPlanError(f"“{plan.name}” has versions 1 to {plan.newest.number}, not {number}.")
        return versions[number or plan.newest.number]

    def facts(self, digest: str) -> Catalogue | None:
        """Return the facts that versions used; None where no version that the person sees has any of this digest."""
        used = sa.select(VERSIONS.c.plan).where(VERSIONS.c.facts == digest, self._sees(VERSIONS.c.plan)).exists()
        with reading(self.environ) as connection:
            query = sa.select(FACTS.c.packed).where(FACTS.c.digest == digest, used)
            packed = None if connection is None else connection.execute(query).scalar()
        return None if packed is None else _unpack(packed, digest)

    def _sees(self, plan: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
        return plan.in_(access.visible_ids(self.asker))

    def save(
        self, plan: str | int, version: PlanVersion, facts: Catalogue, *, base: int | None = None,
        labels: Mapping[str, Any] | None = None,
    ) -> KeptPlan:  # fmt: skip
        """Keep a version under a name of one's own, or as the next of a plan by its number, and return the plan.

        `base` is the version that its writer has seen, 0 for a new plan; where another is the newest, nothing is saved.
        """
        name = _checked(plan, "A name") if isinstance(plan, str) else ""
        with writing(self.environ) as connection:
            newest = self._own(connection, name) if name else self._find(connection, plan, Right.EDIT)
            _refuse_conflict(name, newest, base)
            if connection.execute(sa.select(FACTS.c.digest).where(FACTS.c.digest == version.digest)).first() is None:
                packed = zlib.compress(facts.model_dump_json(exclude_unset=True).encode())
                connection.execute(sa.insert(FACTS).values(digest=version.digest, packed=packed))
            number, id_ = (1, None) if newest is None else (newest.newest.number + 1, newest.id)
            if id_ is None:
                row = {"author": self.asker.name, "key": name.casefold(), "name": name, "folder": "", "tags": "[]"}
                id_ = connection.execute(sa.insert(PLANS).values(row).returning(PLANS.c.id)).scalar_one()
            if cells := _labels(labels or {}):
                connection.execute(sa.update(PLANS).where(PLANS.c.id == id_).values(cells))
            connection.execute(sa.insert(VERSIONS).values(plan=id_, **_cells(replace(version, number=number))))
            access.note(connection, self.asker, id_, "saved", f"version {number}")
            return self._find(connection, id_)

    def add_actuals(self, plan: KeptPlan, number: int, bill: str, at: datetime) -> None:
        """Keep a bill with a version of a plan."""
        row = {"plan": plan.id, "version": number, "imported": at.isoformat(), "bill": bill}
        with writing(self.environ) as connection:
            self._find(connection, plan.id, Right.EDIT)
            connection.execute(sa.insert(ACTUALS).values(**row, person=self.asker.person))
            access.note(connection, self.asker, plan.id, "imported", f"a bill for version {number}")

    def actuals(self, plan: KeptPlan, number: int) -> list[str]:
        """Return the bills of a version and of those before it of its day, the last imported first."""
        of_plan = sa.select(VERSIONS.c.day).where(VERSIONS.c.plan == plan.id)
        day = of_plan.where(VERSIONS.c.number == number).scalar_subquery()
        join = (VERSIONS.c.plan == ACTUALS.c.plan) & (VERSIONS.c.number == ACTUALS.c.version)
        query = sa.select(ACTUALS.c.bill).join(VERSIONS, join)
        query = query.where(ACTUALS.c.plan == plan.id, ACTUALS.c.version <= number, VERSIONS.c.day == day)
        query = query.where(self._sees(ACTUALS.c.plan))
        with reading(self.environ) as connection:
            return [] if connection is None else list(connection.execute(query.order_by(ACTUALS.c.id.desc())).scalars())

    def label(self, plan: str | int, labels: Mapping[str, Any]) -> KeptPlan:
        """Change the folder or the tags of a plan."""
        return self._change(plan, Right.EDIT, "labelled", _labels(labels))

    def archive(self, plan: str | int, at: datetime) -> KeptPlan:
        """Take a plan out of the list; nothing of it is deleted."""
        return self._change(plan, Right.OWN, "archived", {"archived": at.isoformat()})

    def restore(self, plan: str | int) -> KeptPlan:
        """Bring an archived plan back."""
        return self._change(plan, Right.OWN, "restored", {"archived": None})

    def duplicate(self, plan: str | int, new: str, at: datetime) -> KeptPlan:
        """Keep the newest version of a plan as the first of another, of one's own."""
        kept = self.find(plan)
        facts = self.facts(kept.newest.digest)
        if facts is None:
            raise PricingError(f"The figures of “{kept.name}” are gone.")
        version = replace(kept.newest, person=self.asker.person, saved=at)
        return self.save(new, version, facts, base=0, labels={"folder": kept.folder, "tags": kept.tags})

    def share(self, plan: str | int, names: Iterable[str], right: Right | None) -> KeptPlan:
        """Let people, groups or everyone see or change a plan; with no right, no more."""
        with writing(self.environ) as connection:
            return _plan(access.share(connection, self.asker, plan, names, right))

    def shares(self, plan: str | int) -> Mapping[str, Right]:
        """Return with whom its author has shared a plan."""
        with reading(self.environ) as connection:
            if connection is None:
                raise UnknownPlanError("No plan is kept yet.")
            return access.shares(connection, self.asker, plan)

    def trail(self, plan: str | int | None = None) -> list[tuple[str, ...]]:
        """Return who changed what and when, the newest first: of one plan, or of all that the person sees."""
        id_ = None if plan is None else self.find(plan).id
        with reading(self.environ) as connection:
            return [] if connection is None else list(access.trail(connection, self.asker, id_))

    def _change(self, plan: str | int, needed: Right, what: str, cells: Mapping[str, Any]) -> KeptPlan:
        with writing(self.environ) as connection:
            kept = self._find(connection, plan, needed)
            if cells:
                connection.execute(sa.update(PLANS).where(PLANS.c.id == kept.id).values(dict(cells)))
                about = ", ".join(f"{name} {text}" for name, text in cells.items()) if what == "labelled" else ""
                access.note(connection, self.asker, kept.id, what, about)
            return self._find(connection, kept.id)

    def _own(self, connection: sa.Connection, name: str) -> KeptPlan | None:
        own_plan = access.visible(self.asker).where(PLANS.c.author == self.asker.name, PLANS.c.key == name.casefold())
        row = connection.execute(own_plan).first()
        return None if row is None else _plan(row)

    def _find(self, connection: sa.Connection, plan: str | int, needed: Right = Right.VIEW) -> KeptPlan:
        return _plan(access.row_of(connection, self.asker, plan, needed))


def _refuse_conflict(name: str, kept: KeptPlan | None, base: int | None) -> None:
    """Refuse a save over what its writer has not seen."""
    if kept is not None and kept.archived:
        raise PricingError(f"“{kept.name}” is archived: restore it, or save under another name.")
    if base is None or base == (0 if kept is None else kept.newest.number):
        return
    if kept is None:
        raise PricingError(f"“{name}” is no longer kept. Save once more to keep it anew.")
    newest = kept.newest
    seen = f"after you opened version {base}" if base else "before you"
    raise PricingError(
        f"{newest.person} saved “{kept.name}” as version {newest.number} on {newest.saved:%d %b %Y at %H:%M}, {seen}. "
        f"Nothing was saved: save once more to keep yours as version {newest.number + 1}, or choose another name."
    )


def _checked(text: str, what: str, least: int = 1) -> str:
    plain = " ".join(text.split())
    if not least <= len(plain) <= LONGEST_NAME or unseen(plain):
        raise PricingError(f"{what} has {least} to {LONGEST_NAME} characters that can be seen, got {len(plain)}.")
    return plain


def _labels(labels: Mapping[str, Any]) -> dict[str, str]:
    cells = {}
    if labels.get("folder") is not None:
        cells["folder"] = _checked(labels["folder"], "A folder", 0)
    if labels.get("tags") is not None:
        tags = dict.fromkeys(_checked(tag, "A tag") for tag in labels["tags"])
        if len(tags) > MOST_TAGS:
            raise PricingError(f"A plan has at most {MOST_TAGS} tags, got {len(tags)}.")
        cells["tags"] = json.dumps(list(tags), ensure_ascii=False)
    return cells


def _cells(version: PlanVersion) -> dict[str, Any]:
    return {
        "number": version.number, "saved": version.saved.isoformat(), "person": version.person,
        "release": version.release, "day": version.day.isoformat(), "facts": version.digest, "text": version.text,
        "link": version.link, "result": json.dumps(version.result, ensure_ascii=False),
    }  # fmt: skip


def _plan(row: Any) -> KeptPlan:
    return KeptPlan(
        row.id, row.name, row.folder, _read(row.tags, tuple, row.name), row.archived is not None, _version(row),
        row.author, Right(row.level),
    )  # fmt: skip


def _version(row: Any) -> PlanVersion:
    where = f"version {row.number}"
    return PlanVersion(
        _read(row.day, date.fromisoformat, where), row.facts, row.text, row.link, _read(row.result, dict, where),
        row.release, _read(row.saved, datetime.fromisoformat, where), row.person, row.number,
    )  # fmt: skip


def _read(cell: str, kind: Callable[[Any], Any], where: str) -> Any:
    """Return the meaning of a cell; raise a sentence where somebody has changed it."""
    try:
        return kind(json.loads(cell)) if kind in (tuple, dict) else kind(cell)
    except (ValueError, TypeError) as error:
        raise PricingError(f"The database of plans is damaged: {where} holds {str(cell)[:40]!r}.") from error


def _unpack(packed: bytes, digest: str) -> Catalogue:
    try:
        facts = Catalogue.model_validate_json(zlib.decompressobj().decompress(packed, _MOST_FACTS_BYTES))
    except (zlib.error, ValueError) as error:
        raise PricingError(f"The kept figures {digest[:12]} are damaged.") from error
    return facts
