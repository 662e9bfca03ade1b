"""`mcp`: the verbs as tools for agents, and the catalogue as their resources, over stdin and stdout."""

from __future__ import annotations

import argparse
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.cli.common import OK, UsageError

if TYPE_CHECKING:
    from mcp.server import Server

    from planner.api.verbs import Verb

_SECTIONS = ("accelerators", "models", "providers", "servers", "sites")  # of the catalogue, as resources
_SCHEME = "catalogue"
_PLAN = {
    "type": ["string", "object"],
    "description": "the keys of a link (gpus=8&years=3), the name of a preset, a plan as YAML, or its data: "
    "see the resource catalogue://fields",
}
_INSTRUCTIONS = (
    "Plans the cost of GPUs: rent, buy, or both. Begin with `ask` and a question in plain English. A refusal says what "
    "to ask instead. Figures have ranges, days and sources: tell them with the answer."
)


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("mcp", help="the other verbs as tools for agents (Model Context Protocol, over stdio)")
    verb.set_defaults(verb=run)


def run(_: argparse.Namespace) -> int:
    """Serve one agent until it leaves."""
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ImportError:
        raise UsageError("mcp needs the official SDK: pip install -r requirements-mcp.txt") from None
    server = _server()

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
    return OK


def _server() -> Server[Any]:
    import mcp_types as types
    from mcp.server import Server

    from planner.api.records import RELEASE
    from planner.api.verbs import VERBS

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(**_tool(verb)) for verb in VERBS.values()])

    async def call_tool(_: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        text, small = _answer(request.name, dict(request.arguments or {}))
        content = types.TextContent(type="text", text=text)
        return types.CallToolResult(content=[content], structured_content=small, is_error=small is None)

    async def list_resources(*_: Any) -> types.ListResourcesResult:
        every = [types.Resource(uri=f"{_SCHEME}://{name}", name=name) for name in ("fields", *_SECTIONS)]
        return types.ListResourcesResult(resources=every)

    async def list_templates(*_: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=f"{_SCHEME}://facts/{{name}}", name="all that is known of one thing"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(_: Any, request: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(request.uri)
        text = types.TextResourceContents(
            uri=uri, text=_resource(uri.partition("://")[2]), mime_type="application/json"
        )
        return types.ReadResourceResult(contents=[text])

    return Server(
        "rent-or-buy", version=RELEASE, instructions=_INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool,
        on_list_resources=list_resources, on_list_resource_templates=list_templates, on_read_resource=read_resource,
    )  # fmt: skip


def _tool(verb: Verb) -> dict[str, Any]:
    from planner.api.brief import Brief
    from planner.api.http import plain_fields

    schema = verb.request.model_json_schema()
    schema["properties"] = dict(plain_fields(schema))  # lists and records of runs and models of one's own are for files
    schema.pop("$defs", None)
    if verb.most:
        many = {"type": "array", "items": _PLAN, "minItems": verb.fewest, "maxItems": verb.most}
        name, plans = ("plans", many) if verb.most > 1 else ("plan", _PLAN)
        schema["properties"] = {name: plans, **schema["properties"]}
        schema["required"] = [*schema.get("required", ()), *([name] if verb.fewest else [])]
    return {
        "name": verb.name,
        "description": verb.what,
        "input_schema": schema,
        "output_schema": Brief.model_json_schema(),
    }


def _answer(name: str, values: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return an answer in words and in short; of a refusal its sentence and what to ask instead."""
    from planner.api.brief import brief
    from planner.api.records import RequestError
    from planner.api.verbs import VERBS, answer
    from pricing import PricingError
    from pricing.feeds.live import current

    try:
        if name not in VERBS:
            raise RequestError(f"There is no tool {name}; there are {', '.join(VERBS)}.")
        verb, facts, today = VERBS[name], current(), date.today()
        questions = values.pop("plans", None) or [values.pop(key) for key in ("plan",) if key in values]
        document = answer(verb, facts, today, questions, values).document()
        if name == "ask":  # its figures are those of the plan that the line stands for
            plan = answer(
                VERBS["plan"], facts, today, [document["link"]], {"day": values["day"]} if "day" in values else {}
            )
            others = [f"For {label} ask {line!r}." for label, line in document["other_lines"].items()]
            taken = [f"{part['text']} = {part['value']}" for part in document["understood"]]
            others += [
                f"{side['name']}: {side['answer']['title']} {side['answer']['sentences'][0]}"
                for side in document["beside"]
            ]
            paragraphs = [document["read_as"], *others, f"Taken as: {'; '.join(taken)}."]
            words = [*paragraphs, *document["notes"], *document["answer"]["sentences"]]
            document = {**plan.document(), "link": document["link"], "sentences": words}
        small = brief(name, document, facts)
        return small.model_dump_json(), small.model_dump(mode="json")
    except RequestError as error:
        choices = [f"{label}: ask {line!r}." for label, line in error.choices.items()]
        return " ".join([str(error), *choices]), None
    except PricingError as error:
        return str(error), None


def _resource(path: str) -> str:
    """Return a part of the catalogue: names and labels of a section, or all that is known of one thing."""
    from planner.cli.common import to_versioned_json
    from planner.report.facts.facts import facts_records, find_entries
    from planner.scenario.question import KEYS
    from pricing.feeds.live import current

    facts, today = current(), date.today()
    section, _, name = path.partition("/")
    if section == "fields":
        return to_versioned_json({key.key: f"{key.label}: {key.range}" for key in KEYS.values()})
    if section in _SECTIONS:
        return to_versioned_json(
            {key: str(getattr(record, "label", key)) for key, record in getattr(facts, section).items()}
        )
    return to_versioned_json({"facts": facts_records(find_entries(facts, name or section, today))})
