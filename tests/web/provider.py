"""Sign-in for tests: an OpenID provider of a process of its own, the settings of an app that trusts it, and people.

The provider is a program of others. What an attacker would change in a token is set as a claim of a person.
"""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import OctKey
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests import started

DISCOVERY = ".well-known/openid-configuration"
SECRET = "0123456789abcdef0123456789abcdef"


class Provider:
    """A provider at work."""

    def __init__(self, address: str) -> None:
        """At this address."""
        self.address = address

    def knows(self, person: str, **claims: object) -> None:
        """Give a person these claims from now on."""
        self._send(f"/users/{person}", {"email": f"{person}@example.org", "email_verified": True, **claims}, "PUT")

    def settings(self, folder: Path, port: int, metadata: str = "") -> dict[str, str]:
        """Register an app at this port and return its variables; it reads the provider's metadata there."""
        redirect = f"http://127.0.0.1:{port}/oauth2callback"
        client = json.loads(self._send("/oauth2/clients", {"redirect_uris": [redirect]}, "POST"))
        secrets = folder / "secrets.toml"
        lines = {
            "redirect_uri": redirect, "cookie_secret": SECRET, "client_id": client["client_id"],
            "client_secret": client["client_secret"],
            "server_metadata_url": metadata or f"{self.address}/{DISCOVERY}",
        }  # fmt: skip
        secrets.write_text("[auth]\n" + "".join(f"{name} = {json.dumps(text)}\n" for name, text in lines.items()))
        return {"STREAMLIT_SECRETS_FILES": str(secrets), "RENT_OR_BUY_DATA": str(folder / "data")}

    def _send(self, path: str, body: object, method: str) -> bytes:
        head = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), head, method=method)
        with urllib.request.urlopen(request, timeout=started.PATIENCE_S) as answer:
            return bytes(answer.read())


@contextmanager
def provider() -> Iterator[Provider]:
    """Start one that wants clients to be registered."""
    port = started.free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    command += ["--require-registration", "true", "--require-nonce", "true"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as at_work:
        try:
            started.until_answers(f"http://127.0.0.1:{port}/{DISCOVERY}", at_work)
            yield Provider(f"http://127.0.0.1:{port}")
        finally:
            at_work.kill()


class Person:
    """Somebody with a browser that speaks HTTP and keeps cookies."""

    def __init__(self, app: str) -> None:
        """With no cookies yet, before an app."""
        self.app = app
        self.jar = CookieJar()
        self.opened = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar)).open

    def sign_in(self, name: str, came_from: str = "") -> None:
        """Go through the whole flow from a page: to the provider, its form, and back with a code."""
        ends = int(time.time()) + 60
        token = jwt.encode({"alg": "HS256"}, {"provider": "default", "exp": ends}, OctKey.import_key(SECRET))
        login = urllib.request.Request(f"{self.app}/auth/login?provider={token}", headers={"Referer": came_from})
        with self.opened(login, timeout=started.PATIENCE_S) as form:
            address = form.url
        assert "/oauth2/authorize" in address
        with self.opened(address, urlencode({"sub": name}).encode(), timeout=started.PATIENCE_S) as page:
            self.landed = page.url

    @property
    def cookies(self) -> dict[str, str]:
        return {cookie.name: str(cookie.value) for cookie in self.jar}

    def sees(
        self, question: str = "", page: str = "", *, cookies: dict[str, str] | None = None, **headers: str
    ) -> bytes:
        """All that a page sends to this browser; to one with other cookies or headers."""
        self.opened(f"{self.app}/_stcore/health", timeout=started.PATIENCE_S).close()  # names its sessions
        sent = self.cookies if cookies is None else cookies
        named = {"Cookie": "; ".join(f"{name}={text}" for name, text in sent.items()), **headers}
        protocols = [Subprotocol("streamlit"), Subprotocol(self.cookies["_streamlit_xsrf"])]
        stream = f"{self.app}/_stcore/stream".replace("http", "ws", 1)
        with connect(
            stream, subprotocols=protocols, additional_headers=named, origin=Origin(self.app), max_size=None
        ) as line:
            state = ClientState(query_string=question, page_name=page)
            line.send(BackMsg(rerun_script=state).SerializeToString())
            sent_back = b""
            while True:
                message = bytes(line.recv(started.PATIENCE_S))  # type: ignore[arg-type]
                sent_back += message
                if ForwardMsg.FromString(message).WhichOneof("type") == "script_finished":
                    return sent_back
