"""A folder of prices that is signed: whom it is believed, and what a reader sees where something is wrong with it."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from planner.cli import main
from pricing import PricingError
from pricing.feeds.client import ClientLimits
from pricing.feeds.database import opened
from pricing.feeds.live import current
from pricing.feeds.refresh import SourceResult, Ways, refresh
from pricing.feeds.registry import (
    LATEST,
    SIGNATURE,
    SignatureError,
    asked_for,
    believed,
    default_feed,
    new_key,
    sign,
    verify,
)
from pricing.feeds.registry import published_feed as feed_of
from pricing.feeds.sources import feeds
from pricing.feeds.store import LivePriceStore
from pricing.load import load_catalogue
from tests.house import ROOT
from tests.pricing.feeds.made import BRISK, HOST
from tests.pricing.feeds.server import Answer, Server, serving
from tests.test_cli_publish import H100, Home, brought, home, rental  # noqa: F401 - a fixture

MB = 1_000_000
# Made by minisign 0.11 itself, of b'{"version": 1}\n'.
MINISIGN_PUBLIC = "RWQo0cnWwMWYNPDiGxhU8ExPsgsPLwZ1yOTLB/ypnGfOAbjwfaZ5VpnQ"
MINISIGN_SECRET = (
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKNHJ1sDFmDSQCprdgCeIxzaTYe9VGLyHiMMvLsRHqWy0"
    "aBzayw0EK/DiGxhU8ExPsgsPLwZ1yOTLB/ypnGfOAbjwfaZ5VpnQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
)
MINISIGN_SIGNATURE = b"""untrusted comment: signature from minisign secret key
RUQo0cnWwMWYNJXHjrI0cWz2EhH9NpNnycDOvONDRw2jyuOxZX4KNHRhgb0K35WGdikS4HrZCSrJTJ73qz5ddUG+BKnd5br/LQU=
trusted comment: prices of 2026-11-26
QgQS1I+lKzGIJ2ALbclDjsmAj0ZwufpGwZ73EZ7a+6FQ4iSkkjzaO3qf1fcTl2r5Y+Bq6C1En7ev/HI6TONtBQ==
"""
SIGNED = b'{"version": 1}\n'


def test_signatures_are_those_of_minisign() -> None:
    verify(SIGNED, MINISIGN_SIGNATURE, MINISIGN_PUBLIC)
    ours = sign(SIGNED, MINISIGN_SECRET, "prices of 2026-11-26")
    assert ours.splitlines()[1:] == MINISIGN_SIGNATURE.splitlines()[1:]


@pytest.mark.parametrize(
    ("content", "signature", "said"),
    [
        (SIGNED[:-1], MINISIGN_SIGNATURE, "is not as it was signed"),
        (SIGNED, MINISIGN_SIGNATURE.replace(b"11-26", b"11-27"), "is not as it was signed"),
        (SIGNED, MINISIGN_SIGNATURE[:150], "has a signature that cannot be read"),
        (SIGNED, b"", "has a signature that cannot be read"),
        (SIGNED, b"\xff" * 200, "has a signature that cannot be read"),
        (SIGNED, sign(SIGNED, new_key()[0], "prices"), "is signed by another than the key that you trust"),
    ],
)
def test_a_signature_that_does_not_fit_is_told_in_a_sentence(content: bytes, signature: bytes, said: str) -> None:
    with pytest.raises(SignatureError, match=said):
        verify(content, signature, MINISIGN_PUBLIC)


Publish = Callable[..., Path]


@pytest.fixture
def publish(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publish:  # noqa: F811
    """Publish an H100 as Ada, signed with this key; Bob reads from then on."""

    def done(secret: str = MINISIGN_SECRET, price: float = 2.79, day: date | None = None) -> Path:
        home("ada")
        brought(replace(rental(price), day=day))
        monkeypatch.setenv("RENT_OR_BUY_SIGNING_KEY", secret)
        assert main(["publish-prices", str(tmp_path / "out")]) == 0
        home("bob")
        return tmp_path / "out"

    return done


def read(folder: Path, day: date | None = None) -> SourceResult:
    ways = Ways(day=day or date.today())
    return refresh((feed_of(str(folder), MINISIGN_PUBLIC),), ways=ways).sources[0]


def h100() -> float | None:
    return current().offers[H100].usd_per_accelerator_hour.newest.typical  # type: ignore[union-attr]


def test_what_is_signed_by_the_key_of_the_settings_is_read_by_default(
    publish: Publish, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = publish()
    monkeypatch.setenv("RENT_OR_BUY_PRICES", str(folder))
    monkeypatch.setenv("RENT_OR_BUY_PRICES_KEY", MINISIGN_PUBLIC)
    capsys.readouterr()
    assert main(["refresh", "--json"]) == 0
    (source,) = json.loads(capsys.readouterr().out)["sources"]
    assert source["source"].startswith("published-signed-")
    assert h100() == 2.79
    assert len(asked_for(["all"])) == len(feeds()) == len(asked_for((), {}))


def test_an_address_without_a_key_or_with_none_that_is_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    address = {"RENT_OR_BUY_PRICES": "https://prices.example/x"}
    assert default_feed({}) is None
    with pytest.raises(PricingError, match="RENT_OR_BUY_PRICES_KEY must say whose key signs it"):
        default_feed(address)
    with pytest.raises(PricingError, match="RENT_OR_BUY_PRICES_KEY is no key"):
        default_feed(address | {"RENT_OR_BUY_PRICES_KEY": "secret"})


def test_a_folder_at_two_addresses_is_one_source_by_its_key() -> None:
    one, other = (feed_of(f"https://{host}/prices", MINISIGN_PUBLIC) for host in ("a.example", "b.example"))
    assert one.name == other.name
    assert feed_of("https://a.example/prices").name != feed_of("https://b.example/prices").name


def test_unsigned_or_signed_by_another_is_not_read(publish: Publish) -> None:
    folder = publish(new_key()[0])
    result = read(folder)
    assert result.state == "failed"
    assert result.said == (
        f"{folder}: latest.json is signed by another than the key that you trust. Nothing of it was read."
    )
    (folder / SIGNATURE).unlink()
    assert read(folder).said == (
        f"{folder} is not signed, and only what is signed is read from it. "
        f"{folder / SIGNATURE} cannot be read: No such file or directory."
    )
    assert h100() != 2.79


def test_a_file_that_was_cut_off_or_changed_is_not_read(publish: Publish) -> None:
    folder = publish()
    (prices,) = folder.glob("*.csv.gz")
    whole, index = prices.read_bytes(), (folder / LATEST).read_bytes()
    prices.write_bytes(whole[: len(whole) // 2])
    assert read(folder).said == f"{folder}: {prices.name} is not the file that latest.json speaks of. Publish it again."
    prices.write_bytes(whole)
    for wrong in (index[:40], index.replace(b'"prices": 1', b'"prices": 2')):
        (folder / LATEST).write_bytes(wrong)
        assert read(folder).said == (
            f"{folder}: latest.json is not as it was signed: it was changed, cut off or signed by another. "
            "Nothing of it was read."
        )
    (folder / LATEST).write_bytes(index)
    assert read(folder).verdicts == {"believed": 1}


def test_an_old_folder_is_read_and_that_is_said_and_takes_nothing_back(publish: Publish) -> None:
    today = date.today()
    old = publish(day=today - timedelta(days=20))
    kept = {path.name: path.read_bytes() for path in old.iterdir()}
    result = read(old)
    assert result.said.endswith(f"is of {today - timedelta(days=20)}, 20 days ago by this machine's clock.")
    newer = publish(price=2.65)
    read(newer)
    assert h100() == 2.65
    for name, content in kept.items():  # somebody puts the former folder back
        (newer / name).write_bytes(content)
    assert read(newer).state == "read"
    assert h100() == 2.65


def test_a_clock_that_is_a_year_off_is_seen_on_both_sides(publish: Publish) -> None:
    today, year = date.today(), timedelta(days=365)
    folder = publish()
    late = read(folder, today - year)
    assert late.state == "failed"
    assert late.said == f"{folder} is dated {today}, and this machine says that today is {today - year}."
    assert read(folder, today + year).said == (
        f"The newest price of {folder} is of {today}, 365 days ago by this machine's clock."
    )


def test_a_key_is_made_once_and_kept_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RENT_OR_BUY_DATA", str(tmp_path))
    path = tmp_path / "prices.key"
    assert main(["publish-prices", str(path), "--new-key"]) == 0
    public = (tmp_path / "prices.key.pub").read_text().split("\n")[1]
    assert f"RENT_OR_BUY_PRICES_KEY={public}" in capsys.readouterr().out
    assert path.stat().st_mode & 0o077 == 0
    verify(b"x", sign(b"x", path.read_text().split("\n")[1], "day"), public)
    assert main(["publish-prices", str(path), "--new-key"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_secret_that_is_none_is_told_in_a_sentence(
    publish: Publish, monkeypatch: pytest.MonkeyPatch, home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]  # noqa: F811
) -> None:  # fmt: skip
    publish()
    home("ada")
    monkeypatch.setenv("RENT_OR_BUY_SIGNING_KEY", "hunter2")
    assert main(["publish-prices", str(tmp_path / "again")]) == 2
    err = capsys.readouterr().err
    assert "hunter2" not in err
    assert err == "A key of minisign is the second line of its file, in base64.\n"


@pytest.mark.slow
def test_prices_of_all_sellers_fit_into_three_megabytes(home: Home, tmp_path: Path) -> None:  # noqa: F811
    """Twenty thousand machines: more than all sources of today name together."""
    home("ada")
    regions = (f"{place}-{n}" for place in ("us-east", "eu-central", "ap-south", "sa-west") for n in range(5_000))
    brought(*(replace(rental(2.5 + n % 977 / 4_000), region=region, sku=f"machine-{n % 311}", free=n % 9)
              for n, region in enumerate(regions)))  # fmt: skip
    assert main(["publish-prices", str(tmp_path / "out")]) == 0
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) <= 3 * MB
    with closing(opened()) as database:
        prices = believed(LivePriceStore(database), load_catalogue())
    assert prices is not None
    assert len(prices.rows) == 20_000


# What CI runs every night


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


WORKFLOW = ROOT / ".github" / "workflows" / "prices.yml"
STEP = re.compile(r"\.venv/bin/python -m planner (.*)")


def test_the_nightly_job_publishes_what_everybody_reads(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server  # noqa: F811
) -> None:  # fmt: skip
    job: Any = yaml.safe_load(WORKFLOW.read_text())["jobs"]["publish"]
    home("ci")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RENT_OR_BUY_SIGNING_KEY", MINISIGN_SECRET)

    def run(words: str) -> None:
        arguments = shlex.split(words)
        if arguments[0] == "refresh":
            assert arguments[1:] == ["--source", "all"]
            brought(rental(2.79, free=3))
        else:
            assert main(arguments) == 0

    steps = [match[1] for step in job["steps"] if (match := STEP.fullmatch(step.get("run", "")))]
    for words in steps:
        run(words)
    assert [words.split()[0] for words in steps] == ["refresh", "publish-prices"]
    (site,) = (step["with"]["path"] for step in job["steps"] if "pages-artifact" in step.get("uses", ""))
    for path in (tmp_path / site).iterdir():
        server.says(f"/prices/{path.name}", Answer(body=path.read_bytes()))
    home("bob")
    folder = default_feed({"RENT_OR_BUY_PRICES": f"https://{HOST}/prices/", "RENT_OR_BUY_PRICES_KEY": MINISIGN_PUBLIC})
    assert folder is not None
    result = refresh((folder,), ways=Ways(limits=BRISK, at=server.at(HOST))).sources[0]
    assert (result.state, result.verdicts) == ("read", {"believed": 1})
    assert h100() == 2.79


def test_the_nightly_job_has_every_key_and_no_secret_where_it_is_not_needed() -> None:
    job: Any = yaml.safe_load(WORKFLOW.read_text())["jobs"]["publish"]
    (read_step,) = (step for step in job["steps"] if "refresh" in step.get("run", ""))
    assert sorted(read_step["env"]) == sorted(feed.key_name for feed in feeds().values() if feed.key_name)
    having = [step for step in job["steps"] if "RENT_OR_BUY_SIGNING_KEY" in step.get("env", {})]
    assert ["publish-prices" in step["run"] for step in having] == [True]
    assert "RENT_OR_BUY_SIGNING_KEY" not in job["env"]


@pytest.mark.slow
def test_a_folder_whose_signature_drips_is_given_up(publish: Publish, server: Server) -> None:
    for path in publish().iterdir():
        server.says(
            f"/prices/{path.name}", Answer(body=path.read_bytes(), drip_s=0.02 if SIGNATURE in str(path) else 0)
        )
    feed = feed_of(f"https://{HOST}/prices", MINISIGN_PUBLIC)
    limits = ClientLimits(tries=1, slow_s=0.3)
    said = refresh((feed,), ways=Ways(limits=limits, at=server.at(HOST))).sources[0].said
    assert said.endswith("sent less than 1,000 bytes a second for 0.3 seconds: given up.")
