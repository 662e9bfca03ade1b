"""Parts of Streamlit's files: the library of charts without the kinds of chart that the app does not draw."""

import hashlib
import json
from pathlib import Path

PARTS = Path(__file__).parents[1] / "plotly_parts.json"  # written by `python -m tools.plotly_parts`


def needed_part(file: Path) -> bytes:
    """Return a file of Streamlit's; of the library of charts the part that is needed, if it is the known one."""
    whole, record = file.read_bytes(), json.loads(PARTS.read_text(encoding="utf-8"))
    if file.name != record["file"] or hashlib.sha256(whole).hexdigest() != record["sha256"]:
        return whole
    ends = [0, *(end for _, end in record["cuts"])]
    starts = [*(start for start, _ in record["cuts"]), len(whole)]
    return b"".join(whole[end:start] for end, start in zip(ends, starts, strict=True))
