"""Settings of one start: the settings file, and the STREAMLIT_ variables over it.

Streamlit reads these variables only in `streamlit run`, which does not start this app.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Iterator
from operator import not_
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from streamlit import config
from streamlit.auth_util import get_secrets_auth_section, is_authlib_installed, validate_auth_credentials
from streamlit.errors import Error
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.bootstrap import load_config_options
from streamlit.web.cli import configurator_options
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

_HOST = re.compile(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?")
_PART = re.compile(r"(?!\.+$)[\w.~-]+", re.ASCII)  # of a path


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host  # as in fe80::1%eth0: no browser sends that


def is_loopback(host: str | None) -> bool:
    """Return whether a host is this machine, by name or address."""
    return host == "localhost" or (_is_address(host or "") and ipaddress.ip_address(host).is_loopback)


# Values that Streamlit accepts and cannot work with: the check, and the message.
_VALID: dict[str, tuple[Callable[[Any], bool], str]] = {
    "server.allowedHosts": (
        lambda hosts: all(_HOST.fullmatch(host) or _is_address(host) for host in hosts),
        "want names without https:// and port, with spaces between them, as in plans.example.com localhost",
    ),
    "server.maxUploadSize": (lambda size: size > 0, "want megabytes above 0"),
    "server.maxMessageSize": (lambda size: size > 0, "want megabytes above 0"),
    "server.baseUrlPath": (
        lambda path: all(_PART.fullmatch(part) for part in path.strip("/").split("/") if path.strip("/")),
        "want a path of letters, digits, - and _, as in tools/plans",
    ),
    "server.sslCertFile": (lambda name: Path(name).is_file(), "want a file that exists"),
    "server.trustedUserHeaders": (not_, "name the proxy's header in RENT_OR_BUY_NAME_HEADER"),
    "server.sslKeyFile": (lambda name: Path(name).is_file(), "want a file that exists"),
}
# Protections of the people who use the app, and what happens without each.
_SAFE: dict[str, tuple[Callable[[Any], bool], str]] = {
    "server.address": (is_loopback, "other machines can use the app, which has no password"),
    "server.allowedHosts": (lambda hosts: "*" not in hosts, "a page of any site can reach the app under its own name"),
    "server.enableCORS": (bool, "a page of any site can open a session"),
    "server.enableXsrfProtection": (bool, "a page of any site can upload files in a visitor's name"),
    "server.enableStaticServing": (not_, "files in a folder called static are public"),
    "server.enableAgentApi": (not_, "programs can run the app without a browser"),
    "global.developmentMode": (not_, "a page of any site can read what the app sends"),
    "browser.gatherUsageStats": (not_, "the page tries to report each visit to the maker of Streamlit"),
    "client.showErrorDetails": ("none".__eq__, "visitors see the text of program errors"),
    "client.disableDataExport": (bool, "tables can be saved with formulas in them"),
}


FRAME_ANCESTORS = "RENT_OR_BUY_FRAME_ANCESTORS"  # sites that may show a plan in a frame (`?embed=true`)
_SITE = re.compile(r"https?://(\*\.)?[\w-]+(\.[\w-]+)*(:\d+)?", re.ASCII)


def frame_ancestors() -> str:
    """Return the sites that may show a plan in a frame. Raises SystemExit with a sentence about a wrong one."""
    sites = os.environ.get(FRAME_ANCESTORS, "").split()
    wrong = [site for site in sites if not _SITE.fullmatch(site)]
    if wrong:
        raise SystemExit(f"{FRAME_ANCESTORS}={wrong[0]}: want sites such as https://wiki.example.com.")
    return " ".join(sites)


_SECRET_LENGTH = 32
_CALLBACK = "/oauth2callback"


def sign_in_fault() -> str:
    """Return why nobody could sign in safely with the `[auth]` of the secrets, in a sentence; empty where they can."""
    section = get_secrets_auth_section()
    if not section:
        is_there = any(Path(name).is_file() for name in config.get_option("secrets.files"))
        return "the file cannot be read" if is_there and not secrets_singleton.load_if_toml_exists() else ""
    if not is_authlib_installed():
        return "sign-in needs a library: pip install -r requirements-sign-in.txt"
    try:
        validate_auth_credentials("default")
    except Error as error:
        return " ".join(str(error).split()).rstrip(".")
    if len(section["cookie_secret"]) < _SECRET_LENGTH:
        return f"cookie_secret: want {_SECRET_LENGTH} random characters or more, the same on every server"
    address = urlsplit(section["redirect_uri"])
    is_closed = address.scheme == "https" or (address.scheme == "http" and is_loopback(address.hostname))
    if not is_closed or not address.path.endswith(_CALLBACK):
        return f"redirect_uri: want the https:// address of the app with {_CALLBACK} behind it"
    return ""


def read() -> None:
    """Read the settings file and the variables. Raises SystemExit with a sentence about a wrong value."""
    try:
        _variables.main([], standalone_mode=False)
    except click.BadParameter as error:
        raise SystemExit(f"{error.param.envvar}: {error.message}") from None
    except (RuntimeError, Error) as error:  # settings that contradict each other
        raise SystemExit(" ".join(str(error).split())) from None
    frame_ancestors()
    if fault := sign_in_fault():
        raise SystemExit(f"[auth] in secrets.toml: {fault}.")
    for key, (is_valid, expected) in _VALID.items():
        option = config.get_config_options()[key]
        if option.value is not None and not is_valid(option.value):
            raise SystemExit(f"{option.env_var}={os.environ.get(option.env_var, option.value)}: {expected}.")


def changed() -> Iterator[str]:
    """Yield a line for each setting that a variable has changed, and for each protection that is off."""
    if section := get_secrets_auth_section():
        yield f"People sign in; they come back to {section['redirect_uri']}."
    if sites := frame_ancestors():
        yield f"Less protection: pages of {sites} can show a plan in a frame."
    for key, option in config.get_config_options().items():
        is_safe, effect = _SAFE.get(key, (lambda _: True, ""))
        if not is_safe(option.value):
            yield f"Less protection: {key} is {_shown(option.value)}, so {effect}."
        elif option.where_defined == config._DEFINED_BY_FLAG and key != "server.port":
            yield f"{option.env_var} sets {key} to {_shown(option.value)}."


def refused(address: str) -> Iterator[str]:
    """Yield a line where the app refuses a browser at the address that it prints."""
    if not is_host_allowed(urlsplit(address).netloc):
        option = config.get_config_options()["server.allowedHosts"]
        yield f"A page from {address} gets no answers: {option.env_var} is {_shown(option.value)}."


def _shown(value: Any) -> str:
    return " ".join(value) if isinstance(value, (list, tuple)) else str(value)


@click.command(add_help_option=False)
@configurator_options
def _variables(**options: Any) -> None:
    load_config_options(options)
