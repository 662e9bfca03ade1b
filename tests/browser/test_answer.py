"""Journeys of somebody who has to decide, in a real browser on the running app."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sentence import WORK, leave, reach
from tests.browser.states import press
from tests.browser.visit import FIRST_WORDS_MS, axe_violations, open_page, settle


def test_less_use_turns_the_answer_and_the_link_tells_it_elsewhere(page: Page) -> None:
    open_page(page, "/?busy=95&years=5")
    before = page.locator("h1").first.inner_text()
    reach(page, "busy")
    slider = page.get_by_role("slider").first
    for _ in range(6):
        slider.press("PageDown")
    for _ in range(5):
        slider.press("ArrowLeft")
    page.wait_for_url(lambda address: "busy=30" in address)
    settle(page)
    expect(page.locator("h1").first).to_contain_text("ent.", timeout=FIRST_WORDS_MS)
    settle(page)
    after = page.locator("h1").first.inner_text()
    assert after != before

    other = page.context.new_page()
    open_page(other, page.url)
    expect(other.locator("h1").first).to_have_text(after)
    assert (
        other.locator('[data-testid="stMetricValue"]').all_inner_texts()
        == page.locator('[data-testid="stMetricValue"]').all_inner_texts()
    )


def test_the_drawer_opens_a_number_into_its_parts(page: Page) -> None:
    open_page(page, "/")
    page.get_by_role("button", name="Explain").click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("Useful hours")
    drawer.get_by_text("Useful hours").first.click()
    expect(drawer).to_contain_text("8 accelerators x 60% (utilization) x 730 (hours in a month)")
    expect(drawer).to_contain_text("The sum of the lines above")
    assert not axe_violations(page)


def rows_of(page: Page, key: str) -> list[dict[str, str]]:
    """The CSV behind a button, as rows."""
    with page.expect_download(timeout=90_000) as caught:
        page.locator(f".st-key-{key} button").click()
    text = Path(caught.value.path()).read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_cash_table_and_its_csv_agree_with_the_metric(page: Page) -> None:
    open_page(page, "/?rate=0&look=Payback")
    rent = next(row for row in rows_of(page, "csv-cash") if row["USD"] == "Rent on demand")
    years = [float(value) for name, value in rent.items() if name == "Today" or name.startswith("Year")]
    entered = float(rent["Net present cost, as entered"])
    assert sum(years) == pytest.approx(float(rent["Total cash"])) == pytest.approx(entered)
    shown = page.locator('[data-testid="stMetricValue"]').first.inner_text()  # the median of all futures
    assert float(shown.strip("$k")) == pytest.approx(float(rent["Total cash"]) / 1_000, rel=0.05)


def test_a_preset_then_another_use_then_the_link_elsewhere(page: Page) -> None:
    """Somebody starts from an example, says that the work cannot wait, and sends the link."""
    open_page(page)
    reach(page, WORK)
    page.get_by_text("Enterprise", exact=True).first.click()
    expect(page.locator("h1").first).to_have_text("Buy 16, not 80.", timeout=30_000)
    press("tab", "Why")(page)
    expect(page.get_by_text("would be used 17% of the time")).to_be_visible()
    settle(page)
    leave(page)
    page.get_by_text("Adjust assumptions").first.click()
    settle(page)  # what unfolds moves for a moment, and a click on what moves goes astray on a busy machine
    page.get_by_text("May the work wait?").click()
    page.wait_for_url(lambda address: "waits=" not in address)
    settle(page)
    expect(page.locator("h1").first).not_to_have_text("Buy 16, not 80.", timeout=30_000)
    other = page.context.new_page()
    open_page(other, page.url)
    expect(other.locator("h1").first).to_have_text(page.locator("h1").first.inner_text())
    assert metrics(other) == metrics(page)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**waits=1**")
    settle(page)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url(lambda address: "gpus=80" not in address)


def metrics(page: Page) -> list[str]:
    """The figures under the answer."""
    return page.locator('[data-testid="stMetricValue"]').all_inner_texts()


@pytest.mark.parametrize(("button", "name"), [("Scenario (YAML)", "scenario.yaml"), ("Pack (CSV)", "pack.zip")])
def test_a_scenario_goes_out_as_a_file_and_comes_back(page: Page, tmp_path: Path, button: str, name: str) -> None:
    open_page(page, "/?gpus=64&busy=85&kwh=0.2")
    page.get_by_role("button", name="Share").click()
    with page.expect_download(timeout=90_000) as caught:
        page.get_by_role("button", name=button).click()
    kept = tmp_path / name
    caught.value.save_as(kept)
    assert name == "pack.zip" or "accelerators: 64" in kept.read_text(encoding="utf-8")
    there = metrics(page)
    other = page.context.new_page()
    open_page(other)
    assert metrics(other) != there
    other.get_by_role("button", name="Share").click()
    other.get_by_text("Load a plan").click()
    other.locator('input[type="file"]').set_input_files(kept)
    expect(other.locator('[data-testid="stMetricValue"]').first).to_have_text(there[0], timeout=30_000)
    settle(other)
    assert metrics(other) == there
    broken = tmp_path / "broken.yaml"
    broken.write_text("years: 300\n", encoding="utf-8")
    other.get_by_role("button", name=f"Remove {name}").click()
    settle(other)
    other.locator('input[type="file"]').set_input_files(broken)
    expect(other.get_by_text("Nothing was changed")).to_be_visible(timeout=30_000)
    assert metrics(other) == there


def test_an_implausible_price_is_questioned_and_used(page: Page) -> None:
    open_page(page, "/?price=32.5")
    expect(page.get_by_text("Did you mean 32,500")).to_be_visible()


def test_the_finance_file_sums_to_the_screen(page: Page) -> None:
    open_page(page, "/?rate=0")
    page.get_by_role("button", name="Share").click()
    rows = rows_of(page, "download-cash-flow-csv")
    assert list(rows[0])[:3] == ["schema_version", "scenario_id", "scenario_name"]
    rented = [row for row in rows if row["option"] == "on_demand" and row["cash_or_noncash"] == "cash"]
    rent = sum(float(row["amount"]) for row in rented)
    shown = float(metrics(page)[0].strip("$k"))
    assert rent / 1_000 == pytest.approx(shown, rel=0.05)  # the card shows the median, the file the cost as entered


def test_on_a_phone_the_verdict_is_on_the_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/")
    box = page.locator("h1").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 844
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_the_box_of_places_finds_another_name(page: Page) -> None:
    open_page(page)
    page.locator(".st-key-sentence").get_by_role("button", name="United States").click()
    box = page.get_by_test_id("stPopoverBody").get_by_role("combobox").first
    box.fill("Deutschland")
    expect(page.get_by_role("option").filter(has_text="Germany (DE)")).to_have_count(1)
    box.fill("westeurope")
    box.press("Enter")
    expect(page.locator(".st-key-phrase-site button").first).to_contain_text("Netherlands", timeout=30_000)
    settle(page)
    box.fill("Nowhereland")
    box.press("Enter")
    expect(page.get_by_text("No site is called 'Nowhereland'", exact=False)).to_be_visible(timeout=30_000)
    settle(page)
    expect(page.locator(".st-key-phrase-site button").first).to_contain_text("Netherlands")
    expect(box).to_have_value(re.compile("^Netherlands"))


def test_the_shortest_name_of_a_place_stands_first(page: Page) -> None:
    open_page(page)
    page.locator(".st-key-phrase-site button").first.click()
    page.get_by_test_id("stPopoverBody").get_by_role("combobox").first.fill("UK")
    expect(page.get_by_role("option").nth(1)).to_have_text("UK · United Kingdom")  # the first takes what is typed


TYPED = [
    ("/", "gpu", "rtx 4090", "RTX 4090 24 GB"), ("/", "gpu", "h100 sxm", "H100 SXM5 80 GB"),
    ("/", "gpu", "A100 80GB", "A100 SXM4 80 GB"), ("/?serve=Llama-3-8B", "serve", "llama 70b", "Llama 3.3 70B"),
    ("/?train=Llama-3-8B&tokens=1000000000", "train", "Llama 3.3 70B", "Llama 3.3 70B"),
    ("/?serve=Llama-3-8B", "serve", "qwen 32b", "Qwen3-32B"), ("/", "site", "UK", "United Kingdom"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "phrase", "typed", "says"), TYPED)
def test_a_name_is_typed_with_the_keyboard(page: Page, path: str, phrase: str, typed: str, says: str) -> None:
    open_page(page, path)
    button = page.locator(f".st-key-phrase-{phrase} button").first
    button.focus()
    page.keyboard.press("Enter")
    box = page.get_by_test_id("stPopoverBody").get_by_role("combobox").first
    box.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    expect(button).to_contain_text(says, timeout=30_000)
    settle(page)
    expect(box).to_have_value(re.compile(f"^{re.escape(says)}"))


def test_i_have_a_model_takes_a_name_and_never_answers_for_another(page: Page) -> None:
    open_page(page)
    page.get_by_role("button", name="Model").click()
    body = page.get_by_test_id("stPopoverBody")
    body.get_by_role("combobox").first.fill("llama 71b")
    page.keyboard.press("Enter")
    expect(body.get_by_text("No model is called 'llama 71b'", exact=False)).to_be_visible(timeout=30_000)
    settle(page)
    body.get_by_role("combobox").first.fill("mixtral 8x7b")
    page.keyboard.press("Enter")
    expect(body.get_by_role("combobox").first).to_have_value("Mixtral-8x7B", timeout=30_000)
    settle(page)
    body.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".st-key-phrase-serve button").first).to_contain_text("Mixtral-8x7B", timeout=30_000)


def test_a_model_can_be_typed_as_people_call_it(page: Page) -> None:
    open_page(page, "/?train=Llama-3-8B&tokens=1000000000000")
    page.locator(".st-key-phrase-train button").first.click()
    box = page.get_by_test_id("stPopoverBody").get_by_role("combobox").first
    box.fill("qwen 2.5 7b")
    box.press("Enter")
    expect(page.locator(".st-key-phrase-train button").first).to_contain_text("Qwen", timeout=30_000)
    settle(page)
    box.fill("Llama 70B")
    box.press("Enter")
    expect(page.get_by_text("is taken for Llama 3.3 70B", exact=False)).to_be_visible(timeout=30_000)
    settle(page)
    box.fill("Llama 71B")
    box.press("Enter")
    expect(page.get_by_text("Did you mean", exact=False)).to_be_visible(timeout=30_000)
