"""A question in one line fills the sentence; what was not understood is shown, and two readings are asked about."""

from tests.rows import each_row
from tests.web.test_questions import asked
from tests.web.test_strip import entrypoint


def _shown(app) -> str:  # type: ignore[no-untyped-def]
    return " ".join(one.value for one in (*app.info, *app.warning)).replace("\\", "")


def test_a_line_fills_the_sentence_and_says_what_was_taken() -> None:
    app = entrypoint()
    app.text_input(key="one_line").set_value("64 h100 with frobs in germany for 2 years").run()
    assert not app.exception
    scenario = asked(app)
    assert (scenario.work[0].accelerators, scenario.site, scenario.years) == (64, "DE", 2.0)
    assert scenario.stay == "near"
    assert app.query_params["stay"] == "near"
    for text in ("64 x H100 SXM5", "write only in Germany", "Not understood: frobs", "is taken for H100 SXM5 80 GB"):
        assert text in _shown(app)
    app.run()
    assert "Not understood" not in _shown(app), "it is said once"


def test_two_readings_are_pills_and_nothing_changes_before_one_is_chosen() -> None:
    app = entrypoint()
    app.text_input(key="one_line").set_value("8 h200 in georgia").run()
    assert "site" not in app.query_params
    app.button_group(key="one_line_choice").set_value("Georgia, United States").run()
    assert not app.exception
    assert asked(app).site == "US-GA"
    assert asked(app).accelerator.startswith("H200")


def test_a_line_with_a_part_left_out_waits_for_a_click_and_offers_the_other_line() -> None:
    app = entrypoint()
    app.text_input(key="one_line").set_value("8 h200 and 16 mi300x in norway for half the year").run()
    assert not app.exception
    assert "site" not in app.query_params
    for text in (
        "Read as: Run 8 H200",
        "in Norway",
        "Left out: MI300X 192 GB",
        "; half the year",
        "Below is still the plan",
    ):
        assert text in _shown(app)
    app.button_group(key="one_line_choice").set_value("MI300X 192 GB instead").run()
    assert "Left out: half the year" in _shown(app)
    assert "Read as: Run 16 MI300X" in _shown(app)
    app.button_group(key="one_line_choice").set_value("Answer for what was read").run()
    assert not app.exception
    assert asked(app).accelerator.startswith("MI300X")
    assert "Left out: half the year" in _shown(app)
    app.run()
    assert "Left out" not in _shown(app), "it is said once"


def test_of_two_that_a_line_compares_one_is_the_plan_and_one_is_pinned() -> None:
    app = entrypoint()
    app.text_input(key="one_line").set_value("8 h200 or 16 mi300x in norway").run()
    assert not app.exception
    assert asked(app).accelerator.startswith("H200")
    pin = str(app.query_params["pin"])
    assert "gpu=MI300X-192GB" in pin
    assert "gpus=16" in pin
    assert "Pinned beside it, to compare: 16 mi300x." in _shown(app)
    assert not app.warning


@each_row("line", ["asdf qwerty", "<b>x</b>", "bill of $1e12", "0 people", "'; DROP TABLE x; --"])
def test_bad_input_is_said_and_changes_nothing(line: str) -> None:
    app = entrypoint()
    app.text_input(key="one_line").set_value(line).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert set(app.query_params) <= {"asof"}
