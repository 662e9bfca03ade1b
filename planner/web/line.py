"""Who is next where more is asked than processes can do at once: each person has one place in the line.

What a person asks beyond that waits: it takes a new place, behind everybody else, when the one before it has ended. So
a person with twenty plans costs another one plan's time, not twenty.
"""

from collections import Counter, deque
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """What one person asks for. Several people may wait for the same thing, each at a place of their own."""

    person: Hashable
    known_as: str
    asked: bytes
    made: Future[bytes]


class Line:
    """Jobs that wait."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiting: dict[Hashable, deque[Job]] = {}  # by person, in the order of their places
        self._at_work: Counter[Hashable] = Counter()

    def join(self, job: Job) -> None:
        """Wait at this person's place, behind the person's other jobs."""
        self._waiting.setdefault(job.person, deque()).append(job)

    def next(self) -> Job | None:
        """The next job that is still wanted. While others wait, it is that of a person with nothing at work."""
        while self._waiting:
            person = min(self._waiting, key=self._at_work.__getitem__)  # the first place among equals
            jobs = self._waiting[person]
            job = jobs.popleft()
            if not jobs:
                del self._waiting[person]
            if not job.made.running() and not job.made.done() and job.made.set_running_or_notify_cancel():
                self._at_work[person] += 1
                return job
        return None

    def end(self, job: Job) -> None:
        """A job that was next has ended: the person's other jobs wait at a new place."""
        self._at_work[job.person] -= 1
        if not self._at_work[job.person]:
            del self._at_work[job.person]
        if job.person in self._waiting:
            self._waiting[job.person] = self._waiting.pop(job.person)

    def close(self) -> None:
        """Drop every job."""
        for jobs in self._waiting.values():
            for job in jobs:
                job.made.cancel()
        self._waiting.clear()
