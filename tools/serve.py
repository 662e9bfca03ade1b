"""Serves the app on this machine: on the port that PORT names, or on the first free one from 8501.

usage: python tools/serve.py [PORT]

WORKERS says how many processes calculate beside the server (default: one for each core, from two to eight).
"""

import ctypes
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HOST = os.environ.get("STREAMLIT_SERVER_ADDRESS") or "127.0.0.1"
FIRST_PORT = 8501
PORTS_TRIED = 50
HIGHEST_PORT = 65_535
ANY_PORT = 0
FEWEST_PROCESSES = 2  # one for what takes long, and one for all else
MOST_PROCESSES = 64
ARENA_MAX = -8  # of mallopt(3): the most heaps
WRONG = 2  # exit code for a wish that cannot be met, as of the command line


def is_free(port: int) -> bool:
    """Return whether the app could listen on `port` right now."""
    with socket.socket(socket.AF_INET6 if ":" in HOST else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a connection closed a second ago is no obstacle
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def first_free(start: int) -> int:
    """The first free port from `start` on."""
    for port in range(start, min(start + PORTS_TRIED, HIGHEST_PORT + 1)):
        if is_free(port):
            return port
    raise SystemExit(f"No free port from {start} on. Name one that is free: make app PORT=...")


def chosen(wanted: str) -> int:
    """Return the wanted port, if it is free; the first free one where `wanted` is empty."""
    if not is_free(ANY_PORT):
        raise SystemExit(f"STREAMLIT_SERVER_ADDRESS={HOST} is not an address of this machine.")
    if not wanted:
        return first_free(FIRST_PORT)
    if not wanted.isdecimal() or not 1 <= int(wanted) <= HIGHEST_PORT:
        raise SystemExit(f"PORT={wanted} is not a port: want a number from 1 to {HIGHEST_PORT}.")
    port = int(wanted)
    if not is_free(port):
        raise SystemExit(
            f"Port {port} is taken or not allowed. Free is for example: make app PORT={first_free(FIRST_PORT)}"
        )
    return port


def leave(number: int, _frame: object) -> None:
    """Ends in order, so that the processes beside the server end with it."""
    raise SystemExit(128 + number)


def whole_number(name: str, what: str, fewest: int, most: int) -> int:
    """Return a whole number from a variable; 0 if it is not set."""
    text = os.environ.get(name, "")
    if text and (not text.isdecimal() or not fewest <= int(text) <= most):
        raise SystemExit(f"{name}={text} is no number of {what}: want one from {fewest} to {most}.")
    return int(text or 0)


def share_one_heap() -> None:
    """Let all threads of this process, and those of its workers, share one heap.

    glibc gives each of Streamlit's threads a heap of its own, which keeps what the thread has freed.
    """
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")  # the workers read it when they start
    with suppress(AttributeError):  # another C library has no such heaps
        ctypes.CDLL(None).mallopt(ARENA_MAX, 1)


@contextmanager
def exit_code(number: int) -> Iterator[None]:
    """End the program with the sentence of a refusal and its exit code."""
    try:
        yield
    except SystemExit as refused:
        sys.stderr.write(f"{refused}\n")
        raise SystemExit(number) from None


def main() -> None:
    """Becomes the server, so that Ctrl-C reaches it and nothing stays behind."""
    root = Path(__file__).resolve().parent.parent
    os.chdir(root)  # where the settings are
    sys.path.insert(0, str(root))
    # Before numpy loads: small matrices for many people, for which threads of their own only cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    share_one_heap()
    os.environ.setdefault("STREAMLIT_SERVER_COOKIE_SECRET", secrets.token_hex(32))
    with exit_code(WRONG):
        port = chosen("".join(sys.argv[1:]) or os.environ.get("STREAMLIT_SERVER_PORT", ""))
        processes = whole_number("WORKERS", "processes that calculate", FEWEST_PROCESSES, MOST_PROCESSES)
        os.environ["STREAMLIT_SERVER_PORT"] = str(port)
        # Only now: to choose a port nothing has to be installed.
        from planner.web.serving import settings

        settings.read()
    from planner.web.serving import launcher  # asks for the settings while it loads

    signal.signal(signal.SIGTERM, leave)  # uvicorn stops serving at this signal, and then passes it on
    with launcher.listen(port) as listener:
        print(f"\n  Rent, buy, or both?  {(address := launcher.address(listener))}\n", flush=True)
        ignored = ["SERVERS is for `make team`: this is one server."] if "SERVERS" in os.environ else []
        for line in (*ignored, *settings.changed(), *settings.refused(address)):
            print(line, file=sys.stderr, flush=True)
        launcher.serve(listener, processes)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # Ctrl-C is how one ends it
        main()
