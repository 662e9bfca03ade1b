"""Finds code that goes by a sentence: one that the program wrote for people, or a note that people wrote for people.

A reason is a value (a word, a kind, numbers), and its sentence is made from it in one place. Whoever needs to know
takes the value. So nothing that is called like something to be read is cut, or asked how it begins or what it holds;
and no text at all is cut at a phrase of several words, or compared with one. Text that people type, keys and units are
no sentences.
"""

import ast
import re
from collections.abc import Iterable, Iterator

CUTS = frozenset({"partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix"})
ASKS = frozenset({"startswith", "endswith", "replace", "find", "index"})
MATCHES = frozenset({"match", "search", "fullmatch", "findall", "finditer", "sub", "split"})
_CLEANS = frozenset({"lower", "casefold", "strip", "rstrip", "lstrip", "encode", "upper"})
# What is called so was written to be read, in the plural too.
_TO_BE_READ = re.compile(
    "_*(reason|why|why_not|sentence|told|title|label|note|problem|wish|complaint|error|refusal|verdict|warning)s?"
)
_COMPARED = re.compile("_*(reason|why|why_not|sentence|told|title|note|problem|wish|complaint|warning)s?")
_PHRASE = re.compile(r"(?=.*[A-Za-z])(?=.* )", re.DOTALL)
_BETWEEN = re.compile(r"[.:;,!?] +\Z|\A[.:;,!?] ")  # what sets the parts of a sentence apart


def branches(tree: ast.Module, nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, str]]:
    """Every expression among the nodes of a module that goes by a sentence, and how."""
    known = dict(_constants(tree))
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _called(node, node.func, known)
        elif isinstance(node, ast.Compare):
            yield from _compared(node)


def _called(call: ast.Call, method: ast.Attribute, known: dict[str, tuple[str, ...]]) -> Iterator[tuple[ast.expr, str]]:
    said = [text for argument in call.args for text in _texts(argument, known)]
    of, read = ast.unparse(method.value), _reads(method.value, _TO_BE_READ)
    if method.attr in CUTS | ASKS:
        if any(_PHRASE.search(text) or _BETWEEN.search(text) for text in said if method.attr != "replace" or read):
            yield call, f"takes {of} apart at a phrase"
        elif read and said and (method.attr in CUTS or any(map(_has_letters, said))):
            yield call, f"takes {of} apart"
    elif method.attr in MATCHES and any(_reads(argument, _TO_BE_READ) for argument in call.args):
        yield call, f"matches {ast.unparse(call.args[-1])}"


def _compared(node: ast.Compare) -> Iterator[tuple[ast.expr, str]]:
    sides = [node.left, *node.comparators]
    called = [side for side in sides if not isinstance(side, ast.Constant)]
    plain = [text for side in sides for text in _texts(side, {})]
    if any(map(_PHRASE.search, plain)):
        yield node, f"compares with a phrase: {ast.unparse(node)}"
    elif any(map(_has_letters, plain)) and any(_reads(side, _COMPARED) for side in called):
        yield node, f"compares a sentence: {ast.unparse(node)}"


def _constants(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The texts that a module gives names to."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, _texts(node.value, {})) for target in targets if isinstance(target, ast.Name))


def _texts(node: ast.expr, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The texts that an expression stands for: written there, in its tuple, or under a name of the module."""
    if isinstance(node, ast.Constant):
        return (node.value,) if isinstance(node.value, str) else ()
    if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.JoinedStr):
        inner = node.values if isinstance(node, ast.JoinedStr) else node.elts
        return tuple(text for one in inner for text in _texts(one, known))
    return known.get(node.id, ()) if isinstance(node, ast.Name) else ()


def _reads(node: ast.expr, read: re.Pattern[str]) -> bool:
    """Whether an expression is called like something to be read."""
    return any(read.fullmatch(name) for name in _names(node))


def _names(node: ast.expr) -> Iterator[str]:
    """What an expression is called: one.reason, str(reason), reasons[0], row["notes"], row.get("note").lower()."""
    inner: list[ast.expr] = []
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Subscript(value=value, slice=key):
            inner = [value, key]
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _CLEANS:
            inner = [value]
        case ast.Call(func=function, args=arguments):
            is_text = isinstance(function, ast.Name) and function.id == "str"
            inner = [function, *(argument for argument in arguments if is_text or isinstance(argument, ast.Constant))]
        case ast.Constant(value=str(key)):
            yield key
        case ast.JoinedStr(values=values) | ast.BoolOp(values=values):
            inner = [one.value if isinstance(one, ast.FormattedValue) else one for one in values]
    for one in inner:
        yield from _names(one)


def _has_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)
