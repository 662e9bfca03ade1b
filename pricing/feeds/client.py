"""The HTTP client of a feed: only its own hosts, with time-outs, retries, and limits of size, pages and time."""

from __future__ import annotations

import ipaddress
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
from urllib3 import BaseHTTPResponse, Retry
from urllib3.exceptions import MaxRetryError, ReadTimeoutError

from pricing.feeds.feed import Feed, FeedError, OfflineError
from pricing.feeds.reply import HttpReply, PacedAdapter, RefreshCancelled, TransferMeter, TransferPace

logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)  # its warnings name addresses, with keys in them

AGAIN = frozenset({429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AS_IT_WAS = frozenset({307, 308})  # redirects that keep the method and the body
_MOST_REDIRECTS = 5
_HTTPS = 443
_CLOCKS_DIFFER = timedelta(days=30)  # a reply may come out of a cache
_NO_ADDRESS = "sends us to what is no address: not followed"
_HEADERS = {"User-Agent": "rent-or-buy (reads public price lists)", "Accept-Encoding": "gzip"}


@dataclass(frozen=True)
class ClientLimits:
    """Limits of time, retries and pages."""

    connect_s: float = 10.0
    silent_s: float = 30.0  # between two pieces of a reply
    total_s: float = 900.0  # of a whole feed
    least_bytes_per_s: float = 1_000.0  # a source that sends less ...
    slow_s: float = 20.0  # ... for so long is given up
    tries: int = 4
    first_pause_s: float = 1.0  # doubled with each further try
    longest_pause_s: float = 60.0  # a source that asks for more is left for another day
    pages: int = 2_000


USUAL = ClientLimits()


class _CancellableRetry(Retry):
    """urllib3's Retry; it waits no longer than we do, and stops waiting when somebody cancels."""

    wait: Callable[[float], None]

    def new(self, **changes: Any) -> _CancellableRetry:
        other = super().new(**changes)
        other.wait = self.wait
        return other

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        *more: Any,
        **named: Any,
    ) -> _CancellableRetry:
        if response is not None:
            response.close()  # else all of it would be read before the next try
        return super().increment(method, url, response, *more, **named)

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        retry_after = self.get_retry_after(response) if response is not None else None
        self.wait(self.get_backoff_time() if retry_after is None else retry_after)


@dataclass(frozen=True)
class _PageRequest:
    method: str
    url: str
    headers: Mapping[str, str]
    params: Mapping[str, str] | None = None
    body: Any = None


@dataclass
class Client:
    """Sends the requests of one feed. `at` puts a test's servers in the place of hosts; nobody else gets a request."""

    feed: Feed
    limits: ClientLimits = USUAL
    cancelled: threading.Event = field(default_factory=threading.Event)
    at: Mapping[str, str] | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    copies: Path | None = None  # the folder of what is kept of large files
    pages: int = 0

    def __post_init__(self) -> None:
        """Open what all its questions share."""
        self.meter = TransferMeter(self.feed.label, self.feed.largest_reply_bytes, self._go_on)
        self._until = time.monotonic() + self.limits.total_s
        self._asked: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
        self._replies: list[weakref.ref[HttpReply]] = []
        self._session = requests.Session()
        self._session.trust_env = self.at is None  # proxies and certificates as the environment says
        self._session.auth = lambda request: request  # but no password out of a .netrc
        patience = _CancellableRetry(
            total=self.limits.tries - 1, connect=1, status_forcelist=AGAIN, allowed_methods=None, raise_on_status=False,
            backoff_factor=self.limits.first_pause_s, backoff_max=self.limits.longest_pause_s,
            redirect=False, retry_after_max=10**9,
        )  # fmt: skip
        patience.wait = self._wait
        limits = self.limits
        pace = TransferPace(limits.least_bytes_per_s * limits.slow_s, limits.slow_s, self._too_slow)
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, PacedAdapter(pace, max_retries=patience))

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> HttpReply:
        once = (url, tuple(sorted((params or {}).items())))
        if once in self._asked:
            raise self.meter.refused("sends us in a circle: a page of it names one that we have read")
        self._asked.add(once)
        return self._reply(_PageRequest("GET", url, headers or {}, params))

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> HttpReply:
        """Ask with a JSON body."""
        return self._reply(_PageRequest("POST", url, headers or {}, body=body))

    def key(self) -> str:
        """Return the person's key."""
        name = self.feed.key_name
        key = self.environ.get(name, "").strip() if name else ""
        if not key and self.feed.key_optional:
            return ""
        if not key:
            raise self.meter.refused(f"wants a key: set {name}" if name else "has no key")
        if not key.isascii() or not key.isprintable():
            raise self.meter.refused(f"cannot use the key in {name}: it has letters that no key has")
        return key

    def close(self) -> None:
        """Let go of all connections."""
        for reference in self._replies:
            if (reply := reference()) is not None:
                reply.close()
        self._session.close()

    def _reply(self, page: _PageRequest) -> HttpReply:
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._answer(page)
            if answer.status_code not in _REDIRECTS:
                status = answer.status_code
                if status != HTTPStatus.OK:
                    answer.close()
                    raise self.meter.refused(self._status_message(status))
                raw: BaseHTTPResponse = answer.raw
                length = raw.headers.get("Content-Length", "")
                self.meter.expected_bytes = int(length) if length.isdecimal() else None
                self._compare_clocks(answer)
                reply = HttpReply(raw, self.meter)
                self._replies.append(weakref.ref(reply))
                return reply
            answer.close()
            page = self._follow_redirect(page, answer)
        raise self.meter.refused(f"sends us on more than {_MOST_REDIRECTS} times")

    def _compare_clocks(self, answer: requests.Response) -> None:
        """Refuse prices that would be kept under a day that is not today: its clock or ours is far off."""
        try:
            theirs = parsedate_to_datetime(answer.headers.get("Date", "")).date()
        except (ValueError, TypeError, OverflowError):  # it does not say
            return
        ours = datetime.now(UTC).date()
        if abs(theirs - ours) > _CLOCKS_DIFFER:
            answer.close()
            raise self.meter.refused(f"says that today is {theirs}, and this machine says {ours}")

    def _answer(self, page: _PageRequest) -> requests.Response:
        host = self._host(page.url)
        self._go_on()
        self.pages += 1
        if self.pages > self.limits.pages:
            raise self.meter.refused(f"goes on after {self.limits.pages:,} pages")
        headers = {**_HEADERS, **page.headers}
        url = page.url
        if self.at is not None:
            url, headers["Host"] = self._test_server_url(page.url), host
        try:
            return self._session.request(
                page.method, url, params=page.params, headers=headers, json=page.body, stream=True,
                allow_redirects=False, timeout=(self.limits.connect_s, self.limits.silent_s),
            )  # fmt: skip
        except requests.RequestException as error:
            refusal = self.meter.refused(_unreachable_message(error, host))  # the error's own text may hold a key
            raise (OfflineError(str(refusal)) if _is_offline(error) else refusal) from None
        except ValueError:  # requests takes a redirect apart, though it is set to follow none
            raise self.meter.refused(_NO_ADDRESS) from None

    def _follow_redirect(self, page: _PageRequest, answer: requests.Response) -> _PageRequest:
        try:
            to = urljoin(page.url, answer.headers.get("Location", ""))
        except ValueError:
            raise self.meter.refused(_NO_ADDRESS) from None
        host = self._host(to)
        headers = page.headers if host == self._host(page.url) else {}  # a key is for the host it was given to
        if answer.status_code in _AS_IT_WAS:
            return _PageRequest(page.method, to, headers, body=page.body)
        return _PageRequest("GET", to, headers)

    def _host(self, url: str) -> str:
        """Return the host of an address, if requests to it are allowed, at the port that the source names with it."""
        try:
            parts = urlsplit(url)
            host, port = _place(parts)
        except ValueError:
            raise self.meter.refused(_NO_ADDRESS) from None
        allowed = [_place(urlsplit(f"https://{name}")) for name in self.feed.hosts]
        if host not in dict(allowed):
            if is_private(host):
                raise self.meter.refused("sends us to a private address, where no seller is: not followed")
            raise self.meter.refused(f"sends us to {host[:100] or 'no host'}, which is none of its hosts: not followed")
        if parts.scheme != "https":
            raise self.meter.refused("sends us to an address that is not encrypted: not followed")
        if (host, port) not in allowed:
            raise self.meter.refused(f"sends us to port {port} of {host}, which is none of its: not followed")
        return host

    def _test_server_url(self, url: str) -> str:
        parts = urlsplit(url)
        at = self.at or {}
        server = at.get(parts.netloc) or at.get(parts.hostname or "")
        if server is None:
            raise self.meter.refused(f"has no stand-in for {parts.hostname}")
        return f"{server}{parts.path}{'?' if parts.query else ''}{parts.query}"

    def _status_message(self, status: int) -> str:
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return f"refused too many requests (429), after {self.limits.tries} tries too"
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            key = self.feed.key_name
            return f"did not accept the key in {key} ({status})" if key else f"did not let us in ({status})"
        if status in AGAIN:
            return f"is out of order ({status}), after {self.limits.tries} tries too"
        if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            return f"has no such page any more ({status})"
        return f"answered {status}, and not with its prices"

    def _wait(self, seconds: float) -> None:
        if seconds > self.limits.longest_pause_s:
            raise self.meter.refused(f"wants a pause of {seconds:,.0f} seconds, which is too long to wait")
        self._go_on(seconds)
        if self.cancelled.wait(seconds):
            raise RefreshCancelled

    def _too_slow(self) -> FeedError:
        least, slow_s = self.limits.least_bytes_per_s, self.limits.slow_s
        return self.meter.refused(f"sent less than {least:,.0f} bytes a second for {slow_s:,g} seconds: given up")

    def _go_on(self, seconds: float = 0.0) -> None:
        if self.cancelled.is_set():
            raise RefreshCancelled
        if time.monotonic() + seconds > self._until:
            raise self.meter.refused(f"took longer than {self.limits.total_s:,.0f} seconds")


def is_private(host: str) -> bool:
    """Return whether a host's name is of a private network."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal", ".lan"))


def _place(parts: SplitResult) -> tuple[str, int]:
    return (parts.hostname or "").casefold(), _HTTPS if parts.port is None else parts.port


def _in_time(error: requests.RequestException) -> bool:
    """Not so where the last of several tries was too slow: requests calls that no time-out."""
    cause = error.args[0] if error.args else None
    return not isinstance(cause, MaxRetryError) or not isinstance(cause.reason, ReadTimeoutError)


_UNREACHABLE: tuple[tuple[type[requests.RequestException], str], ...] = (
    (requests.exceptions.ProxyError, "cannot be reached through the proxy that the environment names"),
    (requests.exceptions.SSLError, "has no certificate that can be trusted"),
    (requests.exceptions.Timeout, "did not answer in time"),
    (requests.exceptions.RetryError, "is out of order, after several tries too"),
    (requests.exceptions.ConnectionError, "cannot be reached: no connection to {host}"),
)


def _is_offline(error: requests.RequestException) -> bool:
    """Return whether there was no connection at all, for a reason that is not the host's own."""
    kind = next((kind for kind, _ in _UNREACHABLE if isinstance(error, kind)), None)
    return kind is requests.exceptions.ConnectionError and _in_time(error)


def _unreachable_message(error: requests.RequestException, host: str) -> str:
    if not _in_time(error):
        return "did not answer in time"
    messages = (words for kind, words in _UNREACHABLE if isinstance(error, kind))
    return next(messages, "cannot be reached at {host}").format(host=host)
