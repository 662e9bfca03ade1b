"""Today's prices, read in a thread beside the pages: one refresh at a time on a server, seen by all who look."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from pricing import PricingError
from pricing.feeds.feed import Feed
from pricing.feeds.progress import Progress, RefreshFound
from pricing.feeds.refresh import Ways, refresh
from pricing.feeds.registry import asked_for

WAYS: list[Callable[[], Ways]] = [Ways]  # how sources are asked; a test puts servers of its own behind
FEEDS: list[Callable[[], Sequence[Feed]]] = [lambda: asked_for(())]  # which sources there are


class Reader:
    """The refresh that is at work, or what came of the last one."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()
        self._progress: dict[str, Progress] = {}
        self.found: RefreshFound | None = None
        self.trouble = ""  # why there is nothing, in a sentence

    @property
    def is_at_work(self) -> bool:
        """Whether somebody's refresh goes on."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether somebody has cancelled it, and it is not at its end yet."""
        return self.is_at_work and self._cancelled.is_set()

    def begin(self, person: str) -> None:
        """Read all sources, unless that is at work already."""
        with self._lock:
            if self.is_at_work:
                return
            feeds = tuple(FEEDS[-1]())
            self.found, self.trouble = None, _LOST
            self._cancelled = threading.Event()
            self._progress = {feed.name: Progress(feed.name, feed.label, "waiting") for feed in feeds}
            ways = replace(WAYS[-1](), tell=self._told, cancelled=self._cancelled, person=person)
            self._thread = threading.Thread(target=self._work, args=(feeds, ways), daemon=True)
            self._thread.start()

    def cancel(self) -> None:
        """Leave everything as it was."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def progress(self) -> list[Progress]:
        """How far each source is."""
        return list(self._progress.values())

    def _told(self, one: Progress) -> None:
        self._progress[one.source] = one

    def _work(self, feeds: Sequence[Feed], ways: Ways) -> None:
        try:
            self.found, self.trouble = refresh(feeds, ways=ways), ""
        except PricingError as error:
            self.trouble = str(error)


_LOST = "Reading the prices broke off. Nothing that was known is lost; the log of this server says why."
READER = Reader()
