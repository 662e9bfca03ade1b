"""A chart taken along: a file that says what it shows, of which plan, of which day and from which sources."""

import struct
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import Download, Page

from tests.browser.visit import open_page

_PLAN = "/?gpus=16&name=Fleet+2027&asof=2026-11-20"
_SCALE = 2


def taken(page: Page, kind: str) -> Download:
    """Press the button of the first chart for a file of a kind."""
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save this chart as {kind}").first.click()
    return download.value


def test_a_chart_is_saved_with_title_plan_day_and_sources(page: Page, tmp_path: Path) -> None:
    open_page(page, _PLAN)
    title = page.locator("h1").inner_text()
    page.wait_for_selector(".chart-files")
    svg, png = taken(page, "SVG"), taken(page, "PNG")
    assert (svg.suggested_filename, png.suggested_filename) == (
        "ranges-fleet-2027-2026-11-20.svg", "ranges-fleet-2027-2026-11-20.png"
    )  # fmt: skip
    svg.save_as(tmp_path / "chart.svg")
    png.save_as(tmp_path / "chart.png")
    root = ElementTree.parse(tmp_path / "chart.svg").getroot()
    text = " ".join("".join(root.itertext()).split())
    for part in (title, "Cheapest first", "Fleet 2027: Run 16 H100", "Prices as of 20 Nov 2026", "Sources: "):
        assert part.replace(" ", "") in text.replace(" ", ""), part
    assert "font/woff2" in text
    head = (tmp_path / "chart.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:]) == tuple(
        _SCALE * int(float(root.attrib[side])) for side in ("width", "height")
    )
