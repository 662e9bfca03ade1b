"""What is done with kept plans. Each change is one transaction; a version that was saved is never changed."""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from urllib.parse import parse_qsl

import sqlalchemy as sa

from planner.store.database import PlanStoreError, reading, writing
from planner.store.tables import FACTS, PLANS, VERSIONS
from pricing import Catalogue
from pricing.errors import PricingError
from pricing.formulas import unseen
from pricing.near import near

LONGEST_NAME, MOST_TAGS = 120, 20
_MOST_FACTS_BYTES = 100_000_000  # unpacked; a catalogue has 2 MB


class UnknownPlanError(PricingError):
    """No kept plan has this name, in a sentence."""


class SaveConflictError(PricingError):
    """Somebody else saved the plan meanwhile, in a sentence; nothing was saved."""


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
    """The kept plans of one author; the people of one machine have none and share theirs."""

    author: str = ""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, hash=False, compare=False)

    def plans(self, wanted: PlanFilter | None = None) -> list[KeptPlan]:
        """Return the plans that a filter takes, the last saved first."""
        wanted = wanted or PlanFilter()
        with self._reading() as connection:
            rows = connection.execute(_newest(self.author)) if connection is not None else ()
            plans = list(map(_plan, rows))
        return sorted(filter(wanted.takes, plans), key=lambda plan: plan.newest.saved, reverse=True)

    def find(self, name: str) -> KeptPlan:
        """Return the plan of a name, archived or not."""
        with self._reading() as connection:
            if connection is None:
                raise UnknownPlanError("No plan is kept yet.")
            return self._find(connection, name)

    def by_id(self, id_: int) -> KeptPlan | None:
        """Return a plan by its number; None where this author has none of it."""
        with self._reading() as connection:
            query = _newest(self.author).where(PLANS.c.id == id_)
            row = None if connection is None else connection.execute(query).first()
        return None if row is None else _plan(row)

    def versions(self, plan: KeptPlan) -> list[PlanVersion]:
        """Return all versions of a plan, the newest first."""
        query = sa.select(VERSIONS).where(VERSIONS.c.plan == plan.id).order_by(VERSIONS.c.number.desc())
        with self._reading() as connection:
            return [] if connection is None else list(map(_version, connection.execute(query)))

    def version(self, plan: KeptPlan, number: int | None) -> PlanVersion:
        """Return a version of a plan by its number; the newest where none is named."""
        versions = {version.number: version for version in self.versions(plan)}
        if (number or plan.newest.number) not in versions:
            raise UnknownPlanError(f"“{plan.name}” has versions 1 to {plan.newest.number}, not {number}.")
        return versions[number or plan.newest.number]

    def facts(self, digest: str) -> Catalogue | None:
        """Return the facts that versions used; None where there are none of this digest."""
        with self._reading() as connection:
            query = sa.select(FACTS.c.packed).where(FACTS.c.digest == digest)
            packed = None if connection is None else connection.execute(query).scalar()
        return None if packed is None else _unpack(packed, digest)

    def save(
        self, name: str, version: PlanVersion, facts: Catalogue, *, base: int | None = None,
        labels: Mapping[str, Any] | None = None,
    ) -> KeptPlan:  # fmt: skip
        """Keep a version under a name and return the plan.

        `base` is the version that its writer has seen, 0 for a new plan; where another is the newest, nothing is saved.
        """
        name = _checked(name, "A name")
        with writing(self.environ) as connection:
            row = connection.execute(_by_name(self.author, name)).first()
            newest = None if row is None else _plan(row)
            _refuse_conflict(name, newest, base)
            if connection.execute(sa.select(FACTS.c.digest).where(FACTS.c.digest == version.digest)).first() is None:
                connection.execute(sa.insert(FACTS).values(digest=version.digest, packed=_pack(facts)))
            number, id_ = (1, None) if newest is None else (newest.newest.number + 1, newest.id)
            if id_ is None:
                row_of_plan = {"author": self.author, "key": name.casefold(), "name": name, "folder": "", "tags": "[]"}
                id_ = connection.execute(sa.insert(PLANS).values(row_of_plan).returning(PLANS.c.id)).scalar_one()
            if cells := _labels(labels or {}):
                connection.execute(sa.update(PLANS).where(PLANS.c.id == id_).values(cells))
            connection.execute(sa.insert(VERSIONS).values(plan=id_, **_cells(replace(version, number=number))))
            return self._find(connection, name)

    def label(self, name: str, labels: Mapping[str, Any]) -> KeptPlan:
        """Change the folder or the tags of a plan."""
        return self._change(name, _labels(labels))

    def archive(self, name: str, at: datetime) -> KeptPlan:
        """Take a plan out of the list; nothing of it is deleted."""
        return self._change(name, {"archived": at.isoformat()})

    def restore(self, name: str) -> KeptPlan:
        """Bring an archived plan back."""
        return self._change(name, {"archived": None})

    def duplicate(self, name: str, new: str, person: str, at: datetime) -> KeptPlan:
        """Keep the newest version of a plan as the first of another."""
        plan = self.find(name)
        facts = self.facts(plan.newest.digest)
        if facts is None:
            raise PlanStoreError(f"The figures of “{plan.name}” are gone.")
        version = replace(plan.newest, person=person, saved=at)
        return self.save(new, version, facts, base=0, labels={"folder": plan.folder, "tags": plan.tags})

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection | None]:
        with reading(self.environ) as connection:
            yield connection

    def _change(self, name: str, cells: Mapping[str, Any]) -> KeptPlan:
        plan = self.find(name)
        with writing(self.environ) as connection:
            if cells:
                connection.execute(sa.update(PLANS).where(PLANS.c.id == plan.id).values(dict(cells)))
            return self._find(connection, plan.name)

    def _find(self, connection: sa.Connection, name: str) -> KeptPlan:
        row = connection.execute(_by_name(self.author, name)).first()
        if row is not None:
            return _plan(row)
        names = connection.execute(sa.select(PLANS.c.name).where(PLANS.c.author == self.author)).scalars().all()
        meant = near(name, names)
        raise UnknownPlanError(f"No kept plan is called “{name}”" + (f"; did you mean “{meant[0]}”?" if meant else "."))


def _newest(author: str) -> sa.Select[Any]:
    later = VERSIONS.alias()
    last = sa.select(sa.func.max(later.c.number)).where(later.c.plan == PLANS.c.id).scalar_subquery()
    join = sa.join(PLANS, VERSIONS, VERSIONS.c.plan == PLANS.c.id)
    return sa.select(PLANS, VERSIONS).select_from(join).where(VERSIONS.c.number == last, PLANS.c.author == author)


def _by_name(author: str, name: str) -> sa.Select[Any]:
    return _newest(author).where(PLANS.c.key == " ".join(name.split()).casefold())


def _refuse_conflict(name: str, kept: KeptPlan | None, base: int | None) -> None:
    """Refuse a save over what its writer has not seen."""
    if kept is not None and kept.archived:
        raise SaveConflictError(f"“{kept.name}” is archived: restore it, or save under another name.")
    if base is None or base == (0 if kept is None else kept.newest.number):
        return
    if kept is None:
        raise SaveConflictError(f"“{name}” is no longer kept. Save once more to keep it anew.")
    newest = kept.newest
    seen = f"after you opened version {base}" if base else "before you"
    raise SaveConflictError(
        f"{newest.person} saved “{kept.name}” as version {newest.number} on {newest.saved:%d %b %Y at %H:%M}, {seen}. "
        f"Nothing was saved: save once more to keep yours as version {newest.number + 1}, or choose another name."
    )


def _checked(text: str, what: str, least: int = 1) -> str:
    plain = " ".join(text.split())
    if not least <= len(plain) <= LONGEST_NAME or unseen(plain):
        raise PlanStoreError(f"{what} has {least} to {LONGEST_NAME} characters that can be seen, got {len(plain)}.")
    return plain


def _labels(labels: Mapping[str, Any]) -> dict[str, str]:
    cells = {}
    if labels.get("folder") is not None:
        cells["folder"] = _checked(labels["folder"], "A folder", 0)
    if labels.get("tags") is not None:
        tags = dict.fromkeys(_checked(tag, "A tag") for tag in labels["tags"])
        if len(tags) > MOST_TAGS:
            raise PlanStoreError(f"A plan has at most {MOST_TAGS} tags, got {len(tags)}.")
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
        row.id, row.name, row.folder, _read(row.tags, tuple, row.name), row.archived is not None, _version(row)
    )


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
        raise PlanStoreError(f"The database of plans is damaged: {where} holds {str(cell)[:40]!r}.") from error


def _pack(facts: Catalogue) -> bytes:
    return zlib.compress(facts.model_dump_json(exclude_unset=True).encode())


def _unpack(packed: bytes, digest: str) -> Catalogue:
    try:
        facts = Catalogue.model_validate_json(zlib.decompressobj().decompress(packed, _MOST_FACTS_BYTES))
    except (zlib.error, ValueError) as error:
        raise PlanStoreError(f"The kept figures {digest[:12]} are damaged.") from error
    return facts


def every_tag(plans: Iterable[KeptPlan]) -> Sequence[str]:
    """Return the tags in use."""
    return sorted({tag for plan in plans for tag in plan.tags})
