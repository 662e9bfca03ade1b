"""What a process beside the server loads first, so that `tests.watched` knows what it does."""

from tests import watched

watched.watch_process()
