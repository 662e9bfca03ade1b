"""What pages keep: for one session in its memory; for all, results by facts, scenario and day, calculated once."""

import functools
from asyncio import CancelledError, shield, wrap_future
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any, ParamSpec, TypeVar

import streamlit as st
from pydantic import BaseModel

from planner.money.plan import Plan
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import shown_money
from planner.web.run_queue import RUNS
from pricing import Catalogue, PricingError

_P, _T = ParamSpec("_P"), TypeVar("_T")


def memory() -> dict[str, Any]:
    """Return what this session keeps beside its widgets: one entry of state, since each widget reads all."""
    kept: dict[str, Any] = st.session_state.setdefault("memory", {})
    return kept


@contextmanager
def noting_refusal(key: str, text: Callable[[PricingError], str] = str) -> Iterator[None]:
    """Keep for the page why what is done within is refused; None where it is not."""
    memory()[key] = None
    try:
        yield
    except PricingError as refusal:
        memory()[key] = text(refusal)


def key_of(value: Any) -> Hashable:
    """Return the part of a cache key for an argument.

    Facts count by their digest, records by their JSON (a scenario also by the currencies in which its prices were
    typed, which its sentences name), a plan by its facts, scenario and day; anything else by its own hash.
    """
    if isinstance(value, Catalogue):
        return value.digest
    if isinstance(value, Plan):
        return tuple(map(key_of, (value.setting.catalogue, value.setting.written, value.setting.day)))
    if isinstance(value, BaseModel):
        text = value.model_dump_json(exclude_defaults=True)
        return f"{text} {value.typed}" if isinstance(value, Scenario) else text
    return value  # type: ignore[no-any-return]


class _Results(OrderedDict[Hashable, Future[Any]]):
    """The last results of a function, or futures of those that are being calculated."""

    def __init__(self, size: int, bytes_of: Callable[[Any], int] | None = None, most_bytes: float = 0.0) -> None:
        super().__init__()
        self._size, self._bytes_of, self._most_bytes, self._lock = size, bytes_of, most_bytes, Lock()

    def claim(self, name: Hashable) -> tuple[Future[Any], bool]:
        """Return the future of a result, and whether the caller is the first to ask for it."""
        with self._lock:
            future = self.pop(name, None)
            self[name] = result = Future() if future is None else future
            while len(self) > self._size or self._are_too_large():
                self.popitem(last=False)
        return result, future is None

    def _are_too_large(self) -> bool:
        done = (future.result() for future in self.values() if future.done() and not future.cancelled())
        return self._bytes_of is not None and sum(map(self._bytes_of, done)) > self._most_bytes

    def fail(self, name: Hashable, future: Future[Any]) -> None:
        """Forget a result that could not be calculated: each session that waits for it tries it itself."""
        with self._lock:
            if self.get(name) is future:
                del self[name]
        future.cancel()
        future.set_running_or_notify_cancel()


def shared(
    size: int, *, key: Callable[..., tuple[Any, ...]] | None = None, spinner: str = ""
) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Return a decorator that keeps the last `size` results of a function for all sessions.

    A result depends on the money shown and on all positional arguments, or what `key` returns for them. Sessions that
    ask for the same at the same time wait outside their turn for the first one. A failure is not kept.
    """

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        results = _Results(size)

        @functools.wraps(function)
        def call(*args: _P.args, **named: _P.kwargs) -> _T:
            name = (shown_money(), *map(key_of, args if key is None else key(*args, **named)))
            future, is_first = results.claim(name)
            with st.spinner(spinner) if spinner and not future.done() else nullcontext():
                if is_first:
                    try:
                        future.set_result(function(*args, **named))
                    finally:
                        if not future.done():
                            results.fail(name, future)
                elif not future.done():
                    RUNS.wait_for_future(future)
            return call(*args, **named) if future.cancelled() else future.result()

        return call

    return decorate


def shared_answer(
    size: int, *, key: Callable[..., Hashable], bytes_of: Callable[[_T], int], most_bytes: float
) -> Callable[[Callable[_P, Awaitable[_T]]], Callable[_P, Awaitable[_T]]]:
    """Return a decorator that keeps the last `size` answers of the server, as long as they take few enough bytes.

    An answer depends on what `key` returns for its arguments. Who asks for the same at the same time waits for the
    first one. A failure is not kept.
    """

    def decorate(function: Callable[_P, Awaitable[_T]]) -> Callable[_P, Awaitable[_T]]:
        results = _Results(size, bytes_of, most_bytes)

        @functools.wraps(function)
        async def call(*args: _P.args, **named: _P.kwargs) -> _T:
            name = key(*args, **named)
            future, is_first = results.claim(name)
            if is_first:
                try:
                    future.set_result(await function(*args, **named))
                finally:
                    if not future.done():
                        results.fail(name, future)
            try:
                return await shield(wrap_future(future))  # whoever waits and leaves does not stop the first one
            except CancelledError:
                if not future.cancelled():
                    raise
            return await call(*args, **named)

        return call

    return decorate
