"""Says in a pull request how it changes the cost of plan files: what action.yml runs.

usage: python tools/plan_comment.py --base REVISION PLAN.yaml ...

Prints the comment. Posts it, or replaces its own last one, where GITHUB_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST are
set.
"""

import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- rent-or-buy: the cost of plans -->"  # by which the last comment is found again
_MOST_DIFFERENCES = 12
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|@~-])")


def plain(text: object) -> str:
    """Return a text that Markdown shows as it is, on one line: names and values come from whoever wrote the plan."""
    return _SPECIAL.sub(r"\\\1", html.escape(" ".join(str(text).split()), quote=False)).replace("\\@", "@\u200b")


def file_at(revision: str, path: str) -> bytes | None:
    """Return a file as it was; None where there was none."""
    done = subprocess.run(["git", "show", f"{revision}:./{path}"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def answers(files: list[Path], day: str) -> dict[str, Any]:
    """Return the JSON that the command line gives for one plan, or for two."""
    verb = "plan" if len(files) == 1 else "compare"
    command = [sys.executable, "-m", "planner", verb, *map(str, files), "--json", *(["--day", day] if day else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "No answer.")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer if verb == "compare" else {"plans": [answer], "differences": []}


def cost(plan: dict[str, Any]) -> tuple[str, float | None, str]:
    """Return the best option of a plan, its cost, and its range in words."""
    best = next((option for option in plan["options"] if option["key"] == plan["best"]), None)
    if best is None:
        return "none", None, "no price"
    low, middle, high = (best[f"present_{end}_usd"] for end in ("p10", "p50", "p90"))
    usd = best["present_usd"] if middle is None else middle
    return best["label"], usd, f"${usd:,.0f}" + ("" if low is None else f" (${low:,.0f} to ${high:,.0f})")


def section(path: str, base: str, day: str) -> str:
    """Return the part of the comment for one file; nothing where the file did not change."""
    before, now = file_at(base, path), Path(path).read_bytes() if Path(path).is_file() else None
    if before == now:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, data in (("before", before), ("after", now)):
            if data is not None:
                files.append(Path(folder) / f"{name}.yaml")
                files[-1].write_bytes(data)
        try:
            answer = answers(files, day)
        except ValueError as error:
            return f"### {plain(path)}\n\n{plain(error)}\n"
    return f"### {plain(path)}\n\n{_table(answer, before is None, now is None)}"


def _table(answer: dict[str, Any], is_new: bool, is_gone: bool) -> str:
    """Return a plan before and after, the change of its cost, and what differs."""
    names = ("New",) if is_new else ("Removed",) if is_gone else ("Before", "After")
    rows = [f"| {name} | {plain(plan['title'])} | {plain(label)} | {plain(words)} |"
        for name, plan in zip(names, answer["plans"], strict=True) for label, _, words in [cost(plan)]]  # fmt: skip
    lines = ["| | Answer | Cheapest | Cost, discounted to today |", "|---|---|---|---|", *rows]
    costs = [usd for plan in answer["plans"] for _, usd, _ in [cost(plan)]]
    if len(costs) > 1 and costs[0] and costs[1] is not None:
        change = costs[1] - costs[0]
        sign = "+" if change >= 0 else "−"
        lines += ["", f"**{sign}${abs(change):,.0f}** ({sign}{abs(change) / abs(costs[0]):.1%})."]
    differ = [it for it in answer["differences"] if it["input"] not in ("file", "name")]
    lines += ["", *(f"- `{it['input']}`: {plain(it['values'][0])} → {plain(it['values'][1])}"
        for it in differ[:_MOST_DIFFERENCES])]  # fmt: skip
    lines += [f"- and {len(differ) - _MOST_DIFFERENCES} more"] if len(differ) > _MOST_DIFFERENCES else []
    plan = answer["plans"][-1]
    facts = f"Prices as of {plan['day']}, catalogue {plan['catalogue_digest'][:8]}. An estimate, not financial advice."
    return "\n".join([*lines, "", f"<sub>{facts}</sub>", ""])


def post(text: str) -> None:
    """Write the comment into the pull request, in the place of the last one."""
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["PULL_REQUEST"]
    issues = f"{os.environ.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    last = [one for one in _call("GET", f"{issues}/{number}/comments?per_page=100") if MARK in one["body"]]
    where = f"{issues}/comments/{last[0]['id']}" if last else f"{issues}/{number}/comments"
    _call("PATCH" if last else "POST", where, {"body": text})


def _call(method: str, address: str, data: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"}
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body, headers, method=method), timeout=30) as answer:
        return json.load(answer)


def main() -> None:
    """Print the comment, and post it where that is possible."""
    parser = argparse.ArgumentParser(description="Say how a change moves the cost of plan files.")
    parser.add_argument("plans", nargs="+", metavar="PLAN.yaml")
    parser.add_argument("--base", required=True, metavar="REVISION", help="what the change is compared with")
    parser.add_argument(
        "--day", default="", metavar="YYYY-MM-DD", help="the day of prices, for both; the file's, else today"
    )
    args = parser.parse_args()
    sections = [text for path in args.plans if (text := section(path, args.base, args.day))]
    if not sections:
        print("No plan changes.")
        return
    text = "\n".join([MARK, *sections])
    print(text)
    if all(os.environ.get(name) for name in ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "PULL_REQUEST")):
        post(text)


if __name__ == "__main__":
    main()
