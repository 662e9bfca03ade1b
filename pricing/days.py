"""A day from outside: written plainly, or in quotes."""

import re
from datetime import date
from typing import Annotated

from pydantic import BeforeValidator

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_day(value: object) -> object:
    """The day that a text in quotes is; what is no such text stays as it is. ValueError for a 31 November."""
    if not isinstance(value, str) or not _DAY.fullmatch(text := value.strip()):
        return value
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text} is not a day of the calendar") from error


Day = Annotated[date, BeforeValidator(parse_day)]
