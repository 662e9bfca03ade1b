"""`ask`: a question in one line becomes a plan; what was understood, what was not, and the answer."""

import argparse
from datetime import date
from typing import Any

from planner.cli.common import BAD_INPUT, OK, day, write_result


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("ask", help="a question in one line: what was understood of it, and the answer")
    verb.set_defaults(verb=run)
    verb.add_argument(
        "line", nargs="+", metavar="LINE", help='what you want, in your words: "64 h100 in europe for 3 months"'
    )
    verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day of the plan; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--link", action="store_true", help="print what a link to the plan holds, and no answer")


def run(args: argparse.Namespace) -> int:
    """Read the line, then print the plan; a question that is open is printed with its choices."""
    from planner.api.plans import ask, asked_result
    from pricing.feeds.live import current
    from pricing.stale import as_of

    on = args.day or date.today()
<<<<<<< HEAD
    asked = ask(as_of(current(), on), " ".join(args.line), on, with_answer=not args.link)
    write_result(args, asked_result(asked))
    return BAD_INPUT if asked.loaded is None else OK
=======
    facts = as_of(current(), on)
    reading = read_line(facts, " ".join(args.line), on)
    if reading.scenario is None:
        sys.stdout.write(to_versioned_json(_data(reading)) + "\n" if args.json else _understood(reading))
        return BAD_INPUT
    from planner.cli.scenarios import LoadedScenario, evaluate
    from planner.scenario.link import scenario_to_link
    from planner.study.one_line.line_plan import with_open_parts

    scenario, notes = with_open_parts(facts, reading, on)
    link = urlencode(scenario_to_link(scenario))
    report = None if args.link else evaluate(LoadedScenario("line", scenario, facts, on, ()))
    if args.json:
        sys.stdout.write(to_versioned_json({**_data(reading, notes), "link": link, "answer": _answer(report)}) + "\n")
    else:
        sys.stdout.write(_understood(reading, notes) + (f"{link}\n" if report is None else _answer_text(report)))
    return OK


def _data(reading: LineReading, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what was understood, as JSON holds it."""
    return {
        "line": reading.line,
        "understood": [asdict(phrase) for phrase in reading.understood],
        "notes": [*reading.notes, *notes],
        "not_understood": list(reading.unknown),
        "questions": [{"text": each.text, "choices": dict(each.choices)} for each in reading.questions],
    }


def _understood(reading: LineReading, notes: tuple[str, ...] = ()) -> str:
    from planner.report.forms import bullet_list, join_sections
    from planner.report.table import Table, text_table
    from planner.study.one_line.line_records import question_sentence

    phrases = reading.understood
    columns = {"Words": "text", "Field": "field", "Value": "value"}
    table = Table({name: [getattr(phrase, key) for phrase in phrases] for name, key in columns.items()})
    return join_sections(
        [
            ("Taken as", text_table(table)),
            ("By usual meaning", bullet_list((*reading.notes, *notes))),
            ("Not understood", bullet_list(reading.unknown)),
            ("Which of these?", bullet_list(map(question_sentence, reading.questions))),
        ]
    )


def _answer(report: PlanReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    cards = [{"label": tile.label, "value": tile.value, "range": tile.range} for tile in report.summary.figures]
    return {"title": report.summary.title, "sentences": list(report.summary.sentences), "cards": cards}


def _answer_text(report: PlanReport) -> str:
    from planner.report.forms import join_sections

    cards = "\n".join(f"{tile.label}: {tile.value} ({tile.range})" for tile in report.summary.figures)
    return "\n" + join_sections([(report.summary.title, "\n".join([*report.summary.sentences[:1], "", cards]))])
>>>>>>> a41a3d18 (Read cities, regions, other languages and times in one line)
