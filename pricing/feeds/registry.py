"""The sources that somebody asks for by name.

Signatures of published folders, in the format of minisign, so that its own program checks and makes them too.

A signature is Ed25519 over the BLAKE2b digest of a file; a second one binds the comment to it. Keys and signatures are
lines of base64: two letters, the key's number of eight bytes, then the key or the signature.
"""

import base64
import binascii
import csv
import hashlib
import io
import json
import os
import re
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any
from urllib.parse import urlsplit

from pricing.catalogue import Catalogue
from pricing.errors import PricingError, UnknownNameError
from pricing.feeds.agreement import FOLDERS
from pricing.feeds.feed import (
    AnyObservation,
    AnyPriced,
    ExchangeRateObservation,
    Feed,
    FeedError,
    FeedReply,
    Fetcher,
    HostedPriceObservation,
    InterruptionObservation,
    Observation,
    UnreadableRow,
)
from pricing.feeds.machines import counts_machines
from pricing.feeds.overlay import Sources, best_products
from pricing.feeds.sources import feeds
from pricing.feeds.store import LivePriceStore
from pricing.feeds.written import SourceInfo
from pricing.formulas import reject_invisible, unescape_csv_formula, without_unseen

_ED, _HASHED, _NO_PASSWORD = b"Ed", b"ED", b"\0\0B2" + bytes(48)
_SECRET_BYTES, _PUBLIC_BYTES, _SIGNATURE_BYTES = 158, 42, 74
_KEY = slice(2, 10)  # where the number of a key stands
_TRUSTED = "trusted comment: "


class SignatureError(PricingError):
    """A key or a signature is not what it should be, in a sentence."""


def new_key() -> tuple[str, str]:
    """Return the two files of a new key: the secret one, without a password, and the public one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private, number = Ed25519PrivateKey.generate(), secrets.token_bytes(8)
    pair = private.private_bytes_raw() + private.public_key().public_bytes_raw()
    secret = _ED + _NO_PASSWORD + number + pair + hashlib.blake2b(_ED + number + pair, digest_size=32).digest()
    return _signed_file("secret key, to be kept secret", secret), _signed_file("public key", _ED + number + pair[32:])


def sign(content: bytes, secret: str, comment: str) -> bytes:
    """Return the signature file of a content."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    raw = _bytes(secret, _SECRET_BYTES)
    if not raw.startswith(_ED + _NO_PASSWORD[:2]):
        raise SignatureError("The secret key is none of minisign's without a password: make one with --new-key FILE.")
    private = Ed25519PrivateKey.from_private_bytes(raw[62:94])
    signature = private.sign(hashlib.blake2b(content).digest())
    whole = base64.b64encode(private.sign(signature + comment.encode())).decode()
    head = _signed_file("signature of published prices", _HASHED + raw[54:62] + signature)
    return f"{head}{_TRUSTED}{comment}\n{whole}\n".encode()


def public_key(text: str) -> bytes:
    """Return the bytes of a public key, or raise a sentence."""
    return _bytes(text, _PUBLIC_BYTES)


def verify(content: bytes, signature: bytes, public: str) -> None:
    """Raise a sentence, to stand behind the name of what was signed, unless its signature is of this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = public_key(public)
    try:
        _, line, trusted, whole = signature.decode().splitlines()
        parsed, both = _bytes(line, _SIGNATURE_BYTES), base64.b64decode(whole, validate=True)
    except (ValueError, SignatureError) as error:
        raise SignatureError("has a signature that cannot be read") from error
    if parsed[_KEY] != key[_KEY]:
        raise SignatureError("is signed by another than the key that you trust")
    signed, known = parsed[10:], Ed25519PublicKey.from_public_bytes(key[10:])
    try:
        known.verify(signed, hashlib.blake2b(content).digest())
        known.verify(both, signed + trusted[len(_TRUSTED) :].encode())
    except InvalidSignature as error:
        raise SignatureError("is not as it was signed: it was changed, cut off or signed by another") from error


def _signed_file(what: str, raw: bytes) -> str:
    return f"untrusted comment: {what}\n{base64.b64encode(raw).decode()}\n"


def _bytes(text: str, count: int) -> bytes:
    """Return the bytes of a key: its line, or its file with the comment above."""
    try:
        raw = base64.b64decode((text.split("\n") if "\n" in text else ["", text])[1].strip(), validate=True)
    except (ValueError, binascii.Error) as error:
        raise SignatureError("A key of minisign is the second line of its file, in base64.") from error
    if len(raw) != count or raw[:2] not in (_ED, _HASHED):
        raise SignatureError("A key of minisign is the second line of its file, in base64.")
    return raw


LATEST, VERSION = "latest.json", 1
SIGNATURE = f"{LATEST}.minisig"
ADDRESS, ADDRESS_KEY = "RENT_OR_BUY_PRICES", "RENT_OR_BUY_PRICES_KEY"  # settings: a published folder, and whose it is
ALL = "all"  # every source itself, where a folder is set
SIGNED = f"{FOLDERS}signed-"  # whoever signs is one source, at whatever address
_FILE = re.compile(r"prices-\d{4}-\d{2}-\d{2}\.csv(\.gz)?")
_LARGEST_BYTES = 64_000_000
_OF_FOLDERS = "docs/live-prices.md"  # a page about them: a folder of this machine has none
_KINDS: dict[str, type[AnyPriced]] = {
    "rental": Observation, "hosted": HostedPriceObservation, "exchange": ExchangeRateObservation,
    "interruption": InterruptionObservation,
}  # fmt: skip
_FIELDS = (entry.name for kind in _KINDS.values() for entry in fields(kind))
COLUMNS = tuple(dict.fromkeys(("kind", "source", "day", *_FIELDS)))


# Writing


@dataclass(frozen=True)
class Published:
    """All believed prices as rows of one table, with their sources."""

    day: date
    rows: tuple[Mapping[str, Any], ...]
    sources: Mapping[str, SourceInfo]


def believed(store: LivePriceStore, catalogue: Catalogue) -> Published | None:
    """Return the newest price of everything, of the source that counts; not what other people published."""
    every = store.sources()
    sources: Sources = {name: about for name, about in every.items() if not name.startswith(FOLDERS)}
    rows = [_row(*product) for product in best_products(catalogue, store, sources)]
    about = {name: sources[name][0] for name in sorted({row["source"] for row in rows})}
    day = max((date.fromisoformat(row["day"]) for row in rows), default=None)
    rows.sort(key=lambda row: (row["kind"], row["source"]))
    return Published(day, tuple(rows), about) if day else None


def _row(source: str, product: AnyPriced, read: str) -> dict[str, Any]:
    kind = next(kind for kind, of in _KINDS.items() if isinstance(product, of))
    cells = asdict(product)
    cells = {name: " ".join(value) if isinstance(value, tuple) else value for name, value in cells.items()}
    return {**dict.fromkeys(COLUMNS), **cells, "kind": kind, "source": source, "day": read}


def index_content(published: Published, file: str, content: bytes) -> bytes:
    """Return the content of `latest.json`."""
    index = {
        "version": VERSION, "day": published.day.isoformat(), "file": file,
        "sha256": hashlib.sha256(content).hexdigest(), "prices": len(published.rows),
        "sources": {name: asdict(about) for name, about in published.sources.items()},
    }  # fmt: skip
    return json.dumps(index, indent=2, ensure_ascii=False).encode() + b"\n"


# Reading


@dataclass(frozen=True)
class _FileReply:
    raw: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()

    def json(self) -> Any:
        return json.loads(self.raw)

    def text(self) -> str:
        return self.raw.decode()

    def content(self) -> bytes:
        return self.raw

    def lines(self) -> Iterator[str]:
        yield from self.text().splitlines()


def published_feed(where: str, key: str = "") -> Feed:
    """Return the source that a published folder is; with a key, only what is signed with it is read."""
    try:
        reject_invisible(where)
        host = _host(where) if "://" in where else ""
        place = where.rstrip("/") if host else str(Path(where).resolve())
    except (ValueError, RuntimeError, OSError) as error:  # no address; a link to itself; a name that no system takes
        wish = "is no address to read prices from: want https://HOST/FOLDER, or a folder."
        raise PricingError(f"{without_unseen(where)[:100]} {wish}") from error
    digest = hashlib.sha256((key or place).encode()).hexdigest()[:12]
    return Feed(
        name=f"{SIGNED if key else FOLDERS}{digest}", label=place[:120],
        page=place if host else _OF_FOLDERS, hosts=(host,) if host else (),
        licence="as its README.md says, source by source", read=partial(_read, place, key), via="third_party",
        largest_reply_bytes=_LARGEST_BYTES,
    )  # fmt: skip


def _host(address: str) -> str:
    """The host of an address, with the port where one is named; a `ValueError` where nothing can be read there."""
    parts = urlsplit(address)
    others = parts.username, parts.password, parts.query, parts.fragment, " " in address
    if parts.scheme != "https" or not parts.hostname or parts.port == 0 or any(others):
        raise ValueError(address)
    return parts.netloc.casefold()


def _read(where: str, key: str, ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
    head = _head(where, key, ask)
    name, version = head.get("file"), head.get("version")
    if version != VERSION or not isinstance(name, str) or not _FILE.fullmatch(name):
        raise FeedError(f"{where} was published in a form that this program does not read: update it.")
    reply = _file(where, name, ask)
    raw = reply.content()
    if hashlib.sha256(raw).hexdigest() != head.get("sha256"):
        raise FeedError(f"{where}: {name} is not the file that {LATEST} speaks of. Publish it again.")
    try:
        table = _unpacked(raw) if name.endswith(".gz") else raw
        for row in csv.DictReader(io.StringIO(table.decode("utf-8-sig"), newline="")):
            yield reply, _observation({key: unescape_csv_formula(cell or "") for key, cell in row.items() if key})
    except (ValueError, zlib.error, csv.Error) as error:
        raise FeedError(f"{where}: {name} is no table of prices. Publish it again.") from error


def _unpacked(raw: bytes) -> bytes:
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
    table = unpack.decompress(raw, _LARGEST_BYTES)
    if not unpack.eof:
        raise ValueError(f"more than {_LARGEST_BYTES:,} bytes, or only a part")
    return table


def _head(where: str, key: str, ask: Fetcher) -> Mapping[str, Any]:
    """Return the content of `latest.json`; of a folder with a key only where its signature is of that key."""
    reply = _file(where, LATEST, ask)
    if key:
        _verify(where, reply.content(), key, ask)
    try:
        head = reply.json()
    except (ValueError, RecursionError) as error:
        raise FeedError(f"{where}: {LATEST} is no JSON. Publish it again.") from error
    if not isinstance(head, dict):
        kind = {list: "a list", str: "a text", NoneType: "nothing", bool: "yes or no"}.get(type(head), "a number")
        wish = f"is not what `publish-prices` writes: want an object, got {kind}. Publish it again."
        raise FeedError(f"{where}: {LATEST} {wish}")
    return head


def _verify(where: str, content: bytes, key: str, ask: Fetcher) -> None:
    try:
        signature = _file(where, SIGNATURE, ask).content()
    except FeedError as error:
        raise FeedError(f"{where} is not signed, and only what is signed is read from it. {error}") from error
    try:
        verify(content, signature, key)
    except SignatureError as error:
        raise FeedError(f"{where}: {LATEST} {error}. Nothing of it was read.") from error


def _file(where: str, name: str, ask: Fetcher) -> FeedReply:
    if where.startswith("https://"):
        return ask.get(f"{where}/{name}")
    path = Path(where) / name
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise FeedError(f"{path} has more than {_LARGEST_BYTES:,} bytes.")
        return _FileReply(path.read_bytes())
    except OSError as error:
        raise FeedError(f"{path} cannot be read: {error.strerror}.") from error


def _observation(row: Mapping[str, str]) -> AnyPriced | UnreadableRow:
    kind = _KINDS.get(row.get("kind", ""))
    if kind is None:
        return UnreadableRow(f"a row of kind {row.get('kind', '')!r}", "there is no such kind")
    try:
        values = {
            field.name: _READ.get(field.type, str)(row[field.name]) for field in fields(kind) if row.get(field.name)
        }
        if not counts_machines(row.get("source", "")):  # more than none is a number of places, or a yes
            values["free"] = None if values.get("free") else values.get("free")
        return kind(**{name: value for name, value in values.items() if value is not None})
    except (ValueError, TypeError) as error:
        return UnreadableRow(f"a row of kind {row['kind']}", str(error))


# A cell as the field of an observation wants it; as text where its type is not here.
_ONE: dict[Any, Callable[[str], Any]] = {int: int, float: float, date: date.fromisoformat}
_OR_NONE = {kind | None: read for kind, read in _ONE.items()}
_READ: dict[Any, Callable[[str], Any]] = {**_ONE, **_OR_NONE, tuple[str, ...]: lambda cell: tuple(cell.split())}


def default_feed(environ: Mapping[str, str] = os.environ) -> Feed | None:
    """Return the published folder that the settings name, which must be signed. None: they name none."""
    address, key = (environ.get(name, "").strip() for name in (ADDRESS, ADDRESS_KEY))
    if address and not key:
        raise PricingError(f"{ADDRESS} names a folder of prices: {ADDRESS_KEY} must say whose key signs it.")
    if not address:
        return None
    try:
        public_key(key)
    except SignatureError as error:
        raise PricingError(f"{ADDRESS_KEY} is no key. {error}") from error
    return published_feed(address, key)


def asked_for(names: Iterable[str], environ: Mapping[str, str] = os.environ) -> tuple[Feed, ...]:
    """Return the sources with these names, and published folders by their address.

    Where none is named, the folder of the settings; else all sources.
    """
    sources, requested = feeds(), list(dict.fromkeys(names))
    if not requested and (folder := default_feed(environ)):
        return (folder,)
    if requested in ([], [ALL]):
        return tuple(sources.values())
    for name in requested:
        if name not in sources and not ("://" in name or "/" in name or Path(name).is_dir()):
            near = get_close_matches(name, sources, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else f" There are {', '.join(sources)}, {ALL}."
            raise UnknownNameError(f"No source of prices is called {name[:60]!r}.{hint}", near)
    return tuple(sources[name] if name in sources else published_feed(name) for name in requested)
