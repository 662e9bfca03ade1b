"""The settings the app is served with: closed to the outside, and readable in both themes."""

import tomllib

import pytest

from tests.house import ROOT

SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
READABLE = 4.5  # contrast of body text, WCAG 2.2, success criterion 1.4.3

SAFE = [
    ("server", "address", "127.0.0.1"), ("server", "allowedHosts", ["127.0.0.1", "localhost"]),
    ("server", "enableCORS", True), ("server", "enableXsrfProtection", True), ("server", "enableStaticServing", False),
    ("server", "fileWatcherType", "none"), ("server", "headless", True), ("server", "maxUploadSize", 2),
    ("server", "maxMessageSize", 20), ("browser", "gatherUsageStats", False), ("client", "showErrorDetails", "none"),
    ("runner", "postScriptGC", False), ("client", "toolbarMode", "minimal"),
]  # fmt: skip


@pytest.mark.parametrize(("section", "name", "value"), SAFE)
def test_a_safe_setting_stays(section: str, name: str, value: object) -> None:
    assert SETTINGS[section][name] == value


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
@pytest.mark.parametrize("ink", ["textColor", "linkColor", "primaryColor"])
def test_a_theme_can_be_read(theme: str, ground: str, ink: str) -> None:
    colours = SETTINGS["theme"][theme]
    assert contrast(colours[ink], colours[ground]) >= READABLE


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_no_font_is_fetched_from_elsewhere() -> None:
    fonts = [str(value) for name, value in SETTINGS["theme"].items() if "font" in name.lower()]
    assert fonts
    assert not any("://" in font for font in fonts)


def test_the_pins_of_the_cluster_are_those_that_are_tested() -> None:
    tested = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    pins = [line for line in (ROOT / "requirements-dask.txt").read_text(encoding="utf-8").split("\n") if "==" in line]
    assert pins
    assert all(f"\n{pin}" in tested for pin in pins)
