"""Sign-in by a real OpenID provider: who is believed, and that no token, cookie or header of anybody else is."""

from collections.abc import Iterator

import pytest

from tests import started
from tests.web.provider import Person, Provider, provider

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def at_work() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture(scope="module")
def app(at_work: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = started.free_port()
    environ = at_work.settings(tmp_path_factory.mktemp("app"), port)
    with started.app(port=port, **environ) as running:
        yield running.address


def test_one(app: str, at_work: Provider) -> None:
    at_work.knows("ada")
    person = Person(app)
    assert b"Sign in" in person.sees()
    person.sign_in("ada")
    print(person.cookies.keys())
    page = person.sees()
    assert b"ada@example.org" in page
