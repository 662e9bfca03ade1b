"""Who may see a kept plan, who may change it, and the trail of who did: every read and write of plans asks here."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from planner.store import HERE, Right
from planner.store.database import PLANS, SHARES, SIGN_OUTS, TRAIL, VERSIONS, reading, writing
from pricing.errors import PricingError
from pricing.near import near

EVERYONE, GROUP = "*", "@"  # everyone who has signed in; a group of the sign-in, as in @finance
_PERSON = re.compile(r"@?[\w.+%'-]+(@[\w.-]+)?", re.ASCII)
_LONGEST = 100


class UnknownPlanError(PricingError):
    """No kept plan of this name or number is there for this person, in a sentence."""


@dataclass(frozen=True)
class Asker:
    """The person who asks for plans, as somebody vouches for the name."""

    name: str = ""  # the people of this machine have none, and share their plans
    groups: frozenset[str] = frozenset()
    person: str = HERE  # as versions and the trail name them


THIS_MACHINE = Asker()


def audience(text: str) -> str:
    """Return a person, a group or everyone as shares hold them."""
    name = text.strip().casefold()
    if name in ("everyone", EVERYONE):
        return EVERYONE
    if not text.isascii() or not _PERSON.fullmatch(name) or len(name) > _LONGEST:
        raise PricingError(f"Want an e-mail address, @group or everyone, got “{text.strip()[:40]}”.")
    return name


def audience_text(name: str) -> str:
    """Return whom a share names, in words."""
    if name == EVERYONE:
        return "everyone who has signed in"
    return f"the group {name[1:]}" if name.startswith(GROUP) else name


def visible(asker: Asker) -> sa.Select[Any]:
    """Return the plans that a person may see, each with its newest version and the person's right to it."""
    meant = {asker.name, *asker.groups, EVERYONE} if asker.name else set()
    shared = sa.select(sa.func.max(SHARES.c.level)).where(SHARES.c.plan == PLANS.c.id, SHARES.c.person.in_(meant))
    level = sa.case((PLANS.c.author == asker.name, int(Right.OWN)), else_=shared.scalar_subquery())
    later = VERSIONS.alias()
    last = sa.select(sa.func.max(later.c.number)).where(later.c.plan == PLANS.c.id).scalar_subquery()
    plans = sa.select(PLANS, VERSIONS, level.label("level")).join(VERSIONS, VERSIONS.c.plan == PLANS.c.id)
    return plans.where(VERSIONS.c.number == last, level.is_not(None))


def visible_ids(asker: Asker) -> sa.Select[Any]:
    """Return the numbers of the plans that a person may see."""
    return visible(asker).with_only_columns(PLANS.c.id)


def row_of(connection: sa.Connection, asker: Asker, plan: str | int, needed: Right = Right.VIEW) -> Any:
    """Return a plan by name or number, one's own first. Raise where the person does not see it, or may not do this."""
    query = visible(asker)
    is_it = PLANS.c.id == plan if isinstance(plan, int) else PLANS.c.key == " ".join(plan.split()).casefold()
    row = connection.execute(query.where(is_it).order_by(sa.desc("level"))).first()
    if row is None:
        raise UnknownPlanError(_unknown(connection, asker, plan))
    if row.level < needed:
        may = "see" if row.level == Right.VIEW else "change"
        raise PricingError(f"You may {may} “{row.name}” and no more: it belongs to {row.author or HERE}.")
    return row


def _unknown(connection: sa.Connection, asker: Asker, plan: str | int) -> str:
    if isinstance(plan, int):
        return "There is no such plan, or it is not shared with you."
    meant = near(plan, connection.execute(visible(asker).with_only_columns(PLANS.c.name)).scalars().all())
    return f"No kept plan is called “{plan}”" + (f"; did you mean “{meant[0]}”?" if meant else ".")


def note(connection: sa.Connection, asker: Asker, plan: int, what: str, about: str = "") -> None:
    """Add a line to the trail, in the transaction of the change itself."""
    connection.execute(sa.insert(TRAIL).values(plan=plan, person=asker.person, what=what, about=about))


def trail(connection: sa.Connection, asker: Asker, plan: int | None) -> Iterator[tuple[str, ...]]:
    """Yield when, which plan, who, what and its particulars, the newest first; of every plan that the person sees."""
    query = sa.select(TRAIL, PLANS.c.name).join(PLANS, PLANS.c.id == TRAIL.c.plan)
    query = query.where(TRAIL.c.plan.in_(visible_ids(asker)), TRAIL.c.plan == plan if plan else sa.true())
    for row in connection.execute(query.order_by(TRAIL.c.id.desc())):
        at = row.at.astimezone(UTC) if row.at.tzinfo else row.at  # SQLite's clock has no other zone
        yield f"{at:%Y-%m-%d %H:%M}", row.name, row.person, row.what, row.about


def share(connection: sa.Connection, asker: Asker, plan: str | int, names: Iterable[str], right: Right | None) -> Any:
    """Let people see or change a plan; with no right, no more. Only its author shares it."""
    row = row_of(connection, asker, plan, Right.OWN)
    for name in map(audience, names):
        if name == row.author:
            raise PricingError(f"“{row.name}” belongs to {name}.")
        connection.execute(sa.delete(SHARES).where(SHARES.c.plan == row.id, SHARES.c.person == name))
        if right is not None:
            connection.execute(sa.insert(SHARES).values(plan=row.id, person=name, level=int(right)))
        about = audience_text(name) if right is None else f"{audience_text(name)}: {right.name.lower()}"
        note(connection, asker, row.id, "unshared" if right is None else "shared", about)
    return row


def shares(connection: sa.Connection, asker: Asker, plan: str | int) -> dict[str, Right]:
    """Return with whom the author has shared a plan."""
    row = row_of(connection, asker, plan, Right.OWN)
    query = sa.select(SHARES).where(SHARES.c.plan == row.id).order_by(SHARES.c.person)
    return {share.person: Right(share.level) for share in connection.execute(query)}


def end_sign_in(digest: str, at: datetime) -> None:
    """Keep that somebody has signed out."""
    with writing() as connection:
        if not _ended(connection, digest):
            connection.execute(sa.insert(SIGN_OUTS).values(digest=digest, at=at.isoformat()))


def has_ended(digest: str) -> bool:
    """Return whether somebody has signed out of a sign-in."""
    with reading() as connection:
        return connection is not None and _ended(connection, digest)


def _ended(connection: sa.Connection, digest: str) -> bool:
    return connection.execute(sa.select(SIGN_OUTS.c.at).where(SIGN_OUTS.c.digest == digest)).first() is not None
