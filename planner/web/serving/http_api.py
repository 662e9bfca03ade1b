"""`/api/v1`: the verbs for programs and spreadsheets, as routes of the server of the pages.

An answer depends on the question, the facts, the day and the program, and is named by all four (ETag): one that is
known is sent again without calculating, and not at all to a client that has it. What is not known is calculated in a
worker process, for each address so often a minute.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from ipaddress import ip_address, ip_network
from pathlib import Path
from time import monotonic

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from planner.api.http import NAMES, QUICK_S, HttpAnswer, HttpRequest, refusal, respond
from planner.api.verbs import MOST_BILL
from planner.web import messages, workers
from planner.web.shared import shared_answer
from pricing import Catalogue, strict_yaml
from pricing.caching import cached

PER_MINUTE = "RENT_OR_BUY_API_PER_MINUTE"  # requests of an address that are calculated
_USUAL_PER_MINUTE, _MOST_ADDRESSES, _MOST_ANSWERS, _MOST_BYTES = 60, 10_000, 512, 32_000_000
_METHODS, _OTHER_METHODS = ("GET", "HEAD", "POST"), ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY")
_NEIGHBOURS = 64  # bits of an IPv6 address: whoever has one of such a network has them all


class RateLimit:
    """How often each address may ask: so many at once, and so many more in each minute."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        """Take the rate from the environment."""
        text = environ.get(PER_MINUTE, "")
        self.per_minute = int(text) if text.isdecimal() and int(text) > 0 else _USUAL_PER_MINUTE
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # requests and when, the last to ask last

    def wait_s(self, address: str, now: float) -> float:
        """Return how long an address has to wait; 0 where it may ask, which is counted."""
        rate = self.per_minute / 60
        left, since = self._left.pop(address, (float(self.per_minute), now))
        left = min(left + (now - since) * rate, float(self.per_minute))
        self._left[address] = (max(left - 1, 0.0) if left >= 1 else left, now)
        while len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / rate


LIMIT = RateLimit()


@cached(1)
def _program() -> bytes:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[2].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


class _RefusedError(Exception):
    """A request that is not passed on."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.response = _sent(refusal(status, sentence), **headers)


async def answer(request: Request) -> Response:
    """Answer a request, or refuse it with a sentence."""
    try:
        facts, question = messages.latest_catalogue(), await _read_request(request)
        tag = _tag(facts, question)
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"etag": tag, "cache-control": "no-cache"})
        known = await _calculated(tag, facts, question, _address(request))
    except _RefusedError as refused:
        return refused.response
    if known.status != 200:
        return _sent(known)
    if known.packed and "gzip" in request.headers.get("accept-encoding", ""):
        packed = known._replace(body=known.packed)
        return _sent(packed, etag=f"W/{tag}", content_encoding="gzip", vary="Accept-Encoding")
    return _sent(known, etag=tag, vary="Accept-Encoding")


async def _read_request(request: Request) -> HttpRequest:
    """Return a request that may be passed on."""
    name = request.path_params["name"]
    if not is_host_allowed(request.headers.get("host", "")):
        raise _RefusedError(403, "This server does not answer to that name: want one of its allowed hosts.")
    if request.method not in _METHODS:
        raise _RefusedError(405, f"Want one of {', '.join(_METHODS)}.", allow=", ".join(_METHODS))
    if name not in NAMES:
        raise _RefusedError(404, f"There is no such answer; there are {', '.join(sorted(NAMES))}.")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > (most := MOST_BILL if name.startswith("actuals") else strict_yaml.MAX_BYTES):
            raise _RefusedError(413, f"A file has at most {most:,} bytes: send less.")
    if request.method == "POST" and not body:
        raise _RefusedError(400, "The file is empty: want a plan, as YAML or JSON.")
    base = request.url.path.removesuffix(f"/api/v1/{name}")
    return HttpRequest(name, request.url.query, bytes(body), date.today(), base)


@shared_answer(
    _MOST_ANSWERS, key=lambda tag, *_: tag, most_bytes=_MOST_BYTES,
    bytes_of=lambda answer: len(answer.body) + len(answer.packed),
)  # fmt: skip
async def _calculated(tag: str, facts: Catalogue, question: HttpRequest, address: str) -> HttpAnswer:
    """Return an answer from a worker process: a quick one, else one that takes slow jobs."""
    wait_s = LIMIT.wait_s(address, monotonic())
    if wait_s > 0:
        sentence = f"At most {LIMIT.per_minute} new answers a minute for an address: wait {wait_s:.0f} seconds."
        raise _RefusedError(429, sentence, retry_after=f"{wait_s:.0f}")
    messages.register_catalogue(facts, messages.CatalogSpec())
    try:
        quick = await workers.run_for(address, respond, facts, question, QUICK_S)
        return quick or await workers.run_for(address, respond, facts, question, float("inf"), is_slow=True)
    except workers.NoResultError as error:
        raise _RefusedError(503, str(error)) from None


def _tag(facts: Catalogue, question: HttpRequest) -> str:
    digest = hashlib.sha256(_program())
    for part in (facts.digest, question.name, question.query, str(question.today)):
        digest.update(f"{len(part)} {part} ".encode())
    digest.update(question.body)
    return f'"{digest.hexdigest()[:32]}"'


def _address(request: Request) -> str:
    host = request.client.host if request.client else ""
    with suppress(ValueError):
        if ip_address(host).version == 6:
            return str(ip_network(f"{host}/{_NEIGHBOURS}", strict=False))
    return host


def _sent(answer: HttpAnswer, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(answer.body, answer.status, {"cache-control": "no-cache", **named}, answer.kind)


def routes(base_path: str) -> list[Route]:
    """Return the routes, below the path of the server."""
    return [Route(f"{base_path}/api/v1/{{name}}", answer, methods=[*_METHODS, *_OTHER_METHODS])]
