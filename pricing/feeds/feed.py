"""A source of live prices is one record: who says it, where, on which terms, and the function that reads it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pricing.feeds.observation import AnyObservation


class Reply(Protocol):
    """One reply of a source, checked for size and type, with the digest of its bytes."""

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, so far as they were read."""

    def json(self) -> Any:
        """The whole reply as JSON; a `FeedError` where it is none."""

    def text(self) -> str:
        """The whole reply as text."""

    def content(self) -> bytes:
        """The whole reply as bytes: a zip, for one."""

    def lines(self) -> Iterator[str]:
        """A long reply line by line as it comes; never the whole of it in memory."""


class Ask(Protocol):
    """How a feed asks: the client has time-outs, retries, limits, and lets nobody be asked but the feed's hosts."""

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Ask for a page."""

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> Reply:
        """Ask with a JSON body."""

    def key(self) -> str:
        """The person's key for this feed, from the environment."""


class Read(Protocol):
    """Reads a feed to its end."""

    def __call__(self, ask: Ask) -> Iterator[tuple[Reply, AnyObservation]]:
        """Every observation, with the reply it stood in."""


@dataclass(frozen=True)
class Feed:
    """A source of live prices."""

    name: str  # as `--source` has it
    label: str
    page: str  # for people, to look at the same prices
    hosts: tuple[str, ...]  # nobody else is asked, whatever a reply says; host, or host:port where it is not 443
    licence: str
    read: Read
    kind: Literal["rental", "hosted", "exchange"] = "rental"
    via: Literal["price_api", "third_party"] = "price_api"
    key_name: str | None = None  # the variable of the environment that holds the person's key; None: keyless
    largest_reply_bytes: int = 64_000_000
    may_be_empty: bool = False  # lists only what can be had now: nothing is an answer too
    second_hand: tuple[str, ...] = ()  # sellers, as it calls them, of whom another feed speaks first hand: left to it


class FeedError(Exception):
    """Why a feed could not be read, in a sentence for people."""
