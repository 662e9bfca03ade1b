"""A plan in a frame of another site: the verdict, or one chart, and nothing else."""

import http.server
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.started import app, free_port

_PAGE = '<iframe title="plan" src="{address}" width="900" height="600"></iframe>'


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[int, dict[str, str]]]:
    """Another site, whose pages a test writes."""
    pages: dict[str, str] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_: object) -> None:
            pass

    port = free_port()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield port, pages
    server.shutdown()
    server.server_close()


def test_a_site_that_may_shows_the_verdict_or_one_chart(browser: Browser, site: tuple[int, dict[str, str]]) -> None:
    port, pages = site
    with app(RENT_OR_BUY_FRAME_ANCESTORS=f"http://localhost:{port}") as running:
        plan = f"{running.address}/?gpus=8&asof=2026-11-21&embed=true"
        pages |= {"/verdict": _PAGE.format(address=plan), "/chart": _PAGE.format(address=f"{plan}&look=Payback")}
        assert f"pages of http://localhost:{port} can show a plan in a frame" in running.said()
        page = browser.new_page()
        page.goto(f"http://localhost:{port}/verdict")
        frame = page.frame_locator("iframe")
        expect(frame.locator("h1")).to_be_visible(timeout=60_000)
        expect(frame.get_by_role("link", name="Open this plan")).to_be_visible()
        assert frame.get_by_test_id("stMetric").count() + frame.locator(".st-key-tiles").count() > 0
        assert not frame.get_by_role("tab").count()
        assert not frame.locator(".st-key-strip").count()
        page.goto(f"http://localhost:{port}/chart")
        expect(page.frame_locator("iframe").locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
        page.goto(f"http://127.0.0.1:{port}/verdict")  # another site by its name
        page.wait_for_timeout(2_000)
        assert not page.frame_locator("iframe").get_by_role("link", name="Open this plan").count()
        page.close()
