"""Lines about work that is no language model, words of other languages, slips of the pen, and rates apart."""

from datetime import date

import pytest

from planner.speed.work_to_hours import convert_to_hours
from planner.study.one_line.line_records import LineReading
from planner.study.one_line.read_line import read_line
from tests.frozen import live_catalogue
from tests.rows import each_row

pytestmark = pytest.mark.slow


def _read(line: str) -> LineReading:
    return read_line(live_catalogue(), line, date(2026, 11, 27))


@each_row(("line", "said"), [
    ("yolov5 on 60 cameras", "'yolov5' is taken for YOLO m, frames of 640 x 640"),
    ("yolo v8 n, 90 frames a second", "'yolo v8 n' is taken for YOLO n"),
    ("yolov5 on 60 cameras", "15 frames a second"),
    ("nnunet on 30 MRI exams per day", "taken for 3D U-Net (nnU-Net), windows of 128"),
    ("MRI segmentation for 90 studies a day", "100 windows of 128 x 128 x 128 voxels, of 30 to 300"),
    ("700 histology slides a day, tumor detection", "5,000 tiles"),
    ("weld inspection by 20 cameras at 8 fps", "No network is named: YOLO-m, a detector of frames"),
    ("vit-large at 50 images a second", "'vit-large' is taken for ViT-L/16"),
    ("parking lot segmentation, 40k tiles a day", "No network is named: DeepLabV3"),
    ("700 histology slides a day, tumor detection", "No network is named: ResNet-50 at tiles"),
    ("train vit-base on 4 l40s", "'vit-base' is taken for ViT-B/16"),
    ("train a 3b protein model on 16 h100", "protein, as a network of that size is taken to work like one of text"),
])  # fmt: skip
def test_work_on_pictures_is_never_a_language_model_and_what_stands_in_is_said(line: str, said: str) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert said in " ".join((*reading.notes, *reading.left_out))


def test_cameras_without_work_beside_gpus_keep_the_gpus() -> None:
    reading = _read("8 l4 for 2 years, 30 cameras")
    assert reading.scenario is not None
    assert (reading.scenario.work[0].accelerators, reading.scenario.work[0].serve) == (8, None)
    assert any(each.startswith("30 cameras, as") for each in reading.left_out)


@each_row(("line", "wrong", "right"), [
    ("lama 3.1 8b at 2 rps", "lama", "llama"), ("16 h100, reservd for a year", "reservd", "reserved"),
    ("whisper, 30 cusotmers", "cusotmers", "customers"), ("deepseek v3 for 40 enginers", "enginers", "engineers"),
])  # fmt: skip
def test_a_slip_in_a_common_word_is_corrected_and_noted(line: str, wrong: str, right: str) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert f"{wrong} is taken for {right}." in reading.notes
    assert not reading.unknown


@each_row("line", [
    "llama 70b serves 40 people", "8 h100 in Lima for a year", "broken node, 8 h100 for 2 months",
    "8 h100, stale quote",
])  # fmt: skip
def test_a_word_of_its_own_is_no_slip(line: str) -> None:
    assert not any(" is taken for " in note and "'" not in note for note in _read(line).notes)


@each_row(("line", "word"), [
    ("32 a100 at BNRS for 2 years", "BNRS"), ("8 h100 with KLAUT, 2 years", "KLAUT"), ("16 l40s at IIT", "IIT"),
    ("8 h100 at Vindholm in Stockholm", "Vindholm"),
])  # fmt: skip
def test_who_asks_is_left_out_and_holds_nothing_up(line: str, word: str) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert word in reading.left_out


@each_row(
    "line", ["8 h100 at Zyxcloud for a year", "8 h100 in Qwertia", "llama 8b on Zz9", "zorgemma 27b for 30 nurses"]
)
def test_a_name_that_may_decide_is_asked_about(line: str) -> None:
    assert _read(line).scenario is None


@each_row(("line", "said"), [
    ("llama 70b at 3 rps in tagalog", "in tagalog, as the language of a text changes no cost"),
    ("8 h100 and cheap electricity", "cheap electricity, as its price is not stated"),
    ("8 h100, 70 a day", "70 a day, as it does not say of what"),
    ("bge-m3, 9,000/day", "requests are taken, 0.1042 a second"),
    ("mistral small at 1 rps, doubling every month", "a plan can have at most 900%"),
])  # fmt: skip
def test_what_is_taken_or_left_out_is_said_in_whole_words(line: str, said: str) -> None:
    reading = _read(line)
    assert said in " ".join((*reading.notes, *reading.left_out))


def test_what_is_left_out_is_in_whole_words_of_its_own_language() -> None:
    reading = _read("16 h100 durante dos años, tres millones de gatos")
    dropped = " ".join((*reading.left_out, *reading.unknown)).split()
    assert "millones" in dropped
    assert "millone" not in dropped


@each_row(("line", "kw"), [
    ("4 racks free with 9 kW each, llama 70b on premises for 90 staff", 36.0), ("2 empty racks of 14 kW, 8 h100", 28.0),
])  # fmt: skip
def test_the_power_of_several_racks_is_added(line: str, kw: float) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert reading.scenario.own.most_kw == kw


@each_row(("line", "hours"), [
    ("8 artists with flux, 9 to 6 on weekdays, Montreal", 195.5), ("12 designers on sdxl in office hours", 173.8),
])  # fmt: skip
def test_people_who_make_pictures_keep_a_gpu_busy_in_their_hours(line: str, hours: float) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    work = reading.scenario.work[0]
    assert (work.serve, work.people) == (None, work.accelerators)
    assert work.hours_per_person == pytest.approx(hours, rel=0.01)


@each_row("line", [
    "400 gpu hours a week on a10g, vit and swin, now $1,300 a month",
    "90 A100 hours a month of bert, we pay 200 dollars a month",
])  # fmt: skip
def test_stated_gpu_hours_need_no_model(line: str) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert reading.scenario.work[0].serve is None
    assert reading.scenario.work[0].accelerator_hours_per_month
    assert reading.scenario.bill is not None


@each_row(("line", "said"), [
    ("namd on four 3090s for a year", "namd, as its speed is on no record"),
    ("automatic1111 on a 3090, evenings", "automatic1111, as it says nothing of the size"),
    ("speech processing lab with 4 L40S for 3 years", "speech processing lab, as its speed is not weighed"),
    ("minerva 3B for 200 staff", "minerva, as there is no record of it"),
    ("transcribe 50 hours a day and summarize each with an llm", "plan has one work: write it as a line of its own"),
    ("2 L40S for a year, 9h10 on weekdays", "9h10"),
])  # fmt: skip
def test_a_program_or_word_without_weight_is_said_and_holds_nothing_up(line: str, said: str) -> None:
    reading = _read(line)
    assert reading.scenario is not None
    assert said in " ".join((*reading.notes, *reading.left_out))


@each_row(("line", "choice"), [
    ("efficientdet on 12 cameras", "as RetinaNet on R50-FPN, 800 x 1333"),
    ("medsam for 300 CT scans a day", "as SAM ViT-H, its encoder, 1024 x 1024"),
    ("grounding dino on 500k images a month", "as RT-DETR R50, frames of 640 x 640"),
    ("openpose, 8 cameras at 10 fps", "as YOLO s, frames of 640 x 640"),
])  # fmt: skip
def test_a_network_without_a_rate_is_a_question_whose_choices_are_read(line: str, choice: str) -> None:
    reading = _read(line)
    assert reading.scenario is None
    [question] = reading.questions
    again = _read(question.choices[choice])
    assert again.scenario is not None
    assert again.scenario.work[0].serve is not None


def test_a_network_that_is_trained_or_stands_beside_gpus_alone_is_not_served() -> None:
    for line in ("train yolo11 on 4 l40s", "8 L40S for yolov8, 2 years"):
        scenario = _read(line).scenario
        assert scenario is not None
        assert scenario.work[0].serve is None
    assert _read("yolo on a T4 24/7").left_out == ("yolo, as how many pictures it takes is not stated",)


@each_row(("line", "chip", "many"), [
    ("can one mac studio run deepseek v3.2 for me", "Apple-M3-Ultra-512GB", 1),
    ("Mac Studio for gpt-oss 120b at home", "Apple-M5-Max-128GB", 1),
    ("llama 3.3 70b on a mac studio with 36 GB or more", "Apple-M5-Max-64GB", 1),
    ("M3 Ultra 256GB for deepseek r1 in 4 bits", "Apple-M3-Ultra-256GB", 2),
])  # fmt: skip
def test_a_mac_is_the_cheapest_that_holds_the_model(line: str, chip: str, many: int) -> None:
    """In four bits 685 and 671 billion parameters take 359 GB, 70.6 billion 40 and gpt-oss 120B 61, beside a fifth."""
    plan = _read(line).scenario
    assert plan is not None
    assert plan.accelerator == chip
    assert convert_to_hours(live_catalogue(), plan).scenario.work[0].accelerators == many


@each_row(("line", "left"), [
    ("grok 3 at 2 requests per second", "grok 3"), ("glm 7 for 40 people", "glm 7"),
    ("llama 6 70b for 20 people", "llama 6"), ("gemma 8 27b on an L40S", "gemma 8"),
])  # fmt: skip
def test_a_version_without_a_record_is_said(line: str, left: str) -> None:
    assert any(left in text and "there is no record of it" in text for text in _read(line).left_out)


@pytest.mark.parametrize("line", ["llama 3 70b at 2 rps", "phi-4 for 20 people", "wan 2.1, 40 clips a day", "gpt-2"])
def test_a_version_on_record_is_not_left_out(line: str) -> None:
    assert _read(line).left_out == ()
