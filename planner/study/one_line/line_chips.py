"""Chips and machines of a line: how many there are, which of them are owned, and which others replace."""

import math
import re
from typing import Any

from planner.money.owning.place import existing_power
from planner.money.owning.resale import relative_speed
from planner.money.setting import PlanContext
from planner.scenario.own import ExistingHardware
from planner.scenario.scenario import USUAL_ACCELERATOR, Scenario
from planner.study.one_line.line_names import LineName, tokens
from planner.study.one_line.line_records import GPU_WORDS, LineCount, LineParts, count_beside, machine_size
from planner.study.one_line.line_rules import PATTERNS, blank
from planner.study.one_line.line_words import FILLERS, WORDS
from pricing import Catalogue
from pricing.meant import Meant

_SHARE_OF_RATE = 0.4  # an assumption: large published runs use 0.3 to 0.5 of the dense rate
_UNITS = {unit + plural for unit in ("hour", "day", "week", "month", "year") for plural in ("", "s")}
_UNIT_BEHIND = re.compile(rf"\s*(?!(?:{'|'.join(sorted(map(re.escape, FILLERS - _UNITS)))})(?![\w/]))[^\W\d]")


def with_count(name: LineName, count: LineCount | None) -> tuple[int, int]:
    """Return where a name and the count beside it begin and end."""
    return (min(count.start, name.start), max(count.end, name.end)) if count else (name.start, name.end)


def add_chip(catalogue: Catalogue, parts: LineParts, name: LineName, kept_from: int | None) -> None:
    """Add a chip or a machine with the count beside it, as wanted or as owned."""
    count = count_beside(parts.rest, name.start, name.end)
    machine, offer = catalogue.servers.get(name.meant.key), catalogue.offers.get(name.meant.key)
    chip = machine.accelerator if machine else offer.accelerator if offer else name.meant.key
    is_kept = _is_kept(parts, name, count, kept_from)
    kept_end = parts.spans.get("have", (0, name.end))[1]
    is_too = PATTERNS["and"].fullmatch(parts.plain[kept_end : count.start]) if count else (  # owned as well
        "have" in parts.values and PATTERNS["some_too"].search(parts.rest[: name.start])
    )  # fmt: skip
    if not is_kept and (is_too or name.end <= parts.replaced_until or parts.values.get("chip", chip) != chip):
        _leave_chip_out(catalogue, parts, name._replace(meant=Meant(chip)), count)
        return
    if (machine or offer) and count is None and "gpus" in parts.values and parts.values.get("chip") == chip:
        parts.rest = blank(parts.rest, name.start, name.end)  # 48 H100 with AWS p5
        return
    if offer and not is_kept:
        parts.values.setdefault("sold_by", offer.provider)
    each, note = machine.accelerators if machine else offer.accelerators_per_instance if offer else 0, name.meant.note
    card = WORDS["cards"].get(chip) if note and count and count.many < machine_size(chip) and not (
        is_kept or count.of_machines or PATTERNS["machines_behind"].match(parts.rest, name.end)) else None  # fmt: skip
    texts = tuple(PATTERNS[name].search(parts.plain) is not None for name in ("buys", "compares"))
    if (mac := parts.rest[name.start : name.end].removesuffix("s")) in WORDS["lists"] and note and not is_kept:
        parts.values["sizes"], note = mac, WORDS["said"]["sizes"].format(mac, catalogue.accelerator_label(chip))
    if card and "bill" not in parts.values and texts == (True, False):
        note, chip = WORDS["said"]["as_cards"].format(catalogue.accelerator_label(card), chip), card
    elif card is not None:
        note += WORDS["said"]["or_cards"].format(card)
        parts.pairs |= {parts.line[name.start : name.end]: parts.line, catalogue.accelerator_label(card): (
            f"{parts.line[: name.start]}{card}{parts.line[name.end :]}")} if texts[0] else {}  # fmt: skip
    _add_many(catalogue, parts, name._replace(meant=Meant(chip)), count, each or 0, is_kept=is_kept)
    parts.notes += [note] if note else []


def _leave_chip_out(catalogue: Catalogue, parts: LineParts, name: LineName, count: LineCount | None) -> None:
    """Leave out a second kind of GPU; without a count it does the work of those whose contract ends."""
    chip, label = name.meant.key, catalogue.accelerator_label(name.meant.key)
    if {"is_renewal", "gpus", "chip"} <= parts.values.keys() and count is None:
        many = parts.values["as_many"] = math.ceil(parts.values["gpus"] * relative_speed(
            catalogue, parts.values["chip"], chip))  # fmt: skip
        parts.notes.append(f"{many:,} x {label} do the work of those, by dense rates.")
    parts.leave_out("kind of GPU", label, *with_count(name, count))


def _add_many(
    catalogue: Catalogue, parts: LineParts, name: LineName, count: LineCount | None, each: int, *, is_kept: bool
) -> None:
    key, size = name.meant.key, WORDS["said"]["size"] if "sizes" in parts.values else ""
    label = size or catalogue.accelerator_label(key)
    parts.values |= {"at_desk": True} if PATTERNS["desks"].search(parts.plain) else {}
    text, few = parts.rest[name.start : name.end], count is not None and count.many <= 4
    is_behind = PATTERNS["machines_behind"].match(parts.rest, name.end)
    is_dgx = re.match(r"[dh]gx [abh]\d", text) is not None or (
        text.endswith("nvl72") and (few or (count is None and is_behind is not None)))  # fmt: skip
    is_whole = is_dgx or (count is not None and (count.of_machines or is_behind))
    if count is None and not each and not is_dgx:
        parts.values["chip"] = key
        parts.add("gpu", key, name.start, name.end, label)
        return
    many = count.many if count else parts.values.pop("gpus", 1) if each or is_dgx else 1
    many *= each or int(parts.values.get("machine_size", machine_size(key, "box_sizes")) if is_whole else 1)
    parts.values |= {"chip_have" if is_kept else "chip": key}
    is_each = not is_whole and (count is None or not PATTERNS["boxes"].match(parts.rest, count.start))
    parts.values |= {"of_each": True} if is_each and PATTERNS["each"].match(parts.rest, name.end) else {}
    if count is None and not is_kept:
        parts.values["machine_of"] = many  # six instances, further on
    parts.add("have" if is_kept else "gpus", many, *with_count(name, count), f"{many:,} x {label}")


def _is_kept(parts: LineParts, name: LineName, count: LineCount | None, kept_from: int | None) -> bool:
    if count is None or "have" in parts.values or PATTERNS["on_lease"].match(parts.plain, name.end) or (
            PATTERNS["leased_before"].search(parts.plain[: count.start])):  # fmt: skip
        return False
    is_owned = bool(
        ("owned" not in parts.values and PATTERNS["owned"].match(parts.line.lower(), name.end))
        or PATTERNS["of_ours"].search(parts.rest[: name.start]) or PATTERNS["owned_since"].search(parts.line)
    )  # fmt: skip
    if is_owned or name.end <= parts.replaced_until or kept_from is None or kept_from > count.start:
        return is_owned or name.end <= parts.replaced_until
    between = parts.rest[kept_from : count.start]  # right behind `we have`
    return not re.search(r"[:;.|]|(?<![a-z])no ", between) and len(between.split()) <= 2


def read_generic_count(parts: LineParts) -> None:
    """Read `16 gpus` and a number that stands alone, where no chip has a count; `32 more` beside those one has."""
    for word in tokens(parts.rest):
        count = count_beside(parts.rest, word.start, word.end)
        if "gpus" not in parts.values and word.text in GPU_WORDS and count:
            parts.values |= {"of_each": True} if PATTERNS["each"].match(parts.rest, word.end) else {}
            box = PATTERNS["box"].match(parts.rest, word.end)  # two gpu nodes
            many = count.many * (machine_size(parts.values.get("chip", ""), "box_sizes") if box else 1)
            parts.add("gpus", many, count.start, box.end() if box else word.end)
        elif (count and word.text in WORDS["machines"].split()) and (
            "machine_of" in parts.values or ("gpus" not in parts.values and "chip" in parts.values)
        ):
            each = parts.values.pop("machine_of", 0) or machine_size(parts.values["chip"], "box_sizes")
            parts.values.pop("gpus", None)
            parts.add("gpus", count.many * each, count.start, word.end, f"{count.many * each:,}")
        elif (word.text in ("more", "additional") and count and {"have", "gpus"} & parts.values.keys()
                and not PATTERNS["time_behind"].match(parts.rest, word.end)):  # fmt: skip
            name, now = ("gpus", "have") if "have" in parts.values else ("grows_to", "gpus")
            parts.add(name, parts.values[now] + count.many, count.start, word.end)
    for word in tokens(parts.rest):
        behind = parts.rest[word.end :]
        is_alone = PATTERNS["ordered"].search(parts.rest[: word.start]) is not None and not (
            _UNIT_BEHIND.match(parts.rest, word.end) or re.match("[x%]", behind) or (
                parts.spans.get("gpu", (0, 0))[1] + 1 != word.start and re.match(r",\d{3}| *[|]", behind)))  # fmt: skip
        if "chip" in parts.values and "gpus" not in parts.values and word.text.isdecimal() and is_alone:
            parts.add("gpus", int(word.text), word.start, word.end)


def rendered_in_time(values: dict[str, Any]) -> str:
    """Take as many cards as render all frames in time, those that one has among them, and return what to say."""
    hours, have, said = values["gpu_hours"][0], values.get("have", 0), WORDS["said"]
    many = values["gpus"] = max(math.ceil(hours / values["time_left"]), values.get("gpus", 1))
    done, is_more = hours / many * have, have < many
    values |= {"gpus": many - values.pop("have"), "gpu_hours": (hours - done, None)} if is_more and have else {}
    by_kept = said["frames_beside" if is_more else "frames_by_kept"].format(have, done, many - have) if have else ""
    return f"{said['frames_at_once'].format(values['frames'], hours, many, hours / many)}{by_kept}"


def add_facts(catalogue: Catalogue, values: dict[str, Any]) -> None:
    """Add what is known of the chips and the model of a line, from which other quantities follow."""
    key, kept = values.get("chip", USUAL_ACCELERATOR), values.get("chip_have")
    chip = catalogue.accelerators[key]
    many = values.get("have", values.get("gpus", machine_size(kept or key)))
    facts = {
        "is_board": chip.form_factor.startswith(("SXM", "OAM")), "machine_kw": max((
            it.max_power_w.newest.typical / 1e3 for it in catalogue.servers.values() if it.accelerator == key
            and it.max_power_w is not None and it.accelerators == machine_size(key)), default=0.0),
        "all_kw": getattr(existing_power(PlanContext(catalogue, Scenario(), values["day"]), ExistingHardware(
            accelerators=int(many), accelerator=kept or key)), "peak_kw", 0.0) if "space_month" in values else 0.0,
    }  # fmt: skip
    values |= {name: fact for name, fact in facts.items() if fact}
    if kept is not None and values.get("chip", kept) != kept:
        values["speed_of_kept"] = relative_speed(catalogue, kept, values["chip"])
        values |= {} if {"gpus", "multiple"} & values.keys() else {"work_of_kept": True}
    if model := catalogue.models.get(values.get("model", "")):
        values |= {"modality": model.modality, model.modality: True,
            "params": (model.active_params_b or model.params_b) * 1e9}  # fmt: skip
    elif rate := chip.bf16_dense_tflops or chip.fp16_dense_tflops:
        values["rate"] = rate.newest.typical * 1e12 * _SHARE_OF_RATE


def add_fed(values: dict[str, Any], notes: list[str]) -> None:
    """Take as many machines as a stated power feeds."""
    is_fed = {"kw", "machine_kw"} <= values.keys() and not {*WORDS["not_fed"]} & values.keys()
    if is_fed and (machines := int(values["kw"] / values["machine_kw"])):
        values["gpus"] = machines * machine_size(values.get("chip", USUAL_ACCELERATOR))
        notes.append(f"{values['kw']:,.10g} kW feed {machines:,} machines of {values['machine_kw']:g} kW each.")
