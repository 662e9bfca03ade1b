"""Takes the small pictures of every page for docs/pages.md: wide and on a phone, light and dark.

usage: python -m tools.pictures
"""

import sys
from pathlib import Path

from bench.journeys import served
from tests.browser import chromium
from tests.browser.visit import open_page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pages"
PLAN = "gpus=16&busy=70"
PINNED = "pin=gpus%3D8%26busy%3D70"
PAGES = {
    "answer": f"/?{PLAN}", "speed": "/speed?train=Llama-3.1-8B&tokens=300000000000&gpus=64",
    "compare": f"/compare?{PLAN}",
    "what-if": f"/what-if?{PLAN}", "assumptions": f"/assumptions?{PLAN}",
    "side-by-side": f"/side-by-side?{PLAN}&{PINNED}",
}  # fmt: skip
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
DRAWN_MS = 3_000  # what a chart takes to be drawn, with room


def main() -> int:
    """Take them all, and write the page of documentation that shows them."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with served() as at, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                page = browser.new_context(
                    viewport={"width": width, "height": height},
                    device_scale_factor=0.6,
                    color_scheme=scheme,
                    base_url=at,
                ).new_page()
                for name, path in PAGES.items():
                    open_page(page, path)
                    page.wait_for_timeout(DRAWN_MS)
                    page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.jpg", type="jpeg", quality=70)
                page.context.close()
        browser.close()
    lines = [
        "# Every page",
        "",
        "As `python -m tools.pictures` took them: 1440 and 390 pixels wide, light and dark.",
        "",
    ]
    for name in PAGES:
        title = name.replace("-", " ").capitalize()
        looks = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]
        lines += [
            f"## {title}",
            "",
            " ".join(f"![{title}, {' '.join(look)}](pages/{name}-{'-'.join(look)}.jpg)" for look in looks),
            "",
        ]
    (FOLDER.parent / "pages.md").write_text("\n".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
