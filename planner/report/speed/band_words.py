"""What a range rests on, in words: whether runs like it are known, and in what the nearest differ where none are."""

from planner.report import words
from planner.speed.bands import Band

_TRAITS = {
    "chip": "the generation of the accelerator",
    "software": "the software",
    "engine": "the engine",
    "mixture": "the kind of model, dense or a mixture of experts",
    "size": "the number of accelerators",
    "attention": "the kind of attention",
    "bits": "the precision",
    "pipeline": "pipeline stages",
    "context": "the length of sequences",
    "weights": "which weights are trained",
    "width": "the width of the model",
    "load": "one request at a time or many",
    "ranks": "how attention is spread",
    "figure": "what was measured",
}


def known_words(band: Band) -> str:
    """Whether the like was ever seen, and how sure that makes a prediction."""
    if band.alike:
        are = "is" if band.alike == 1 else "are"
        return f"{words.count(band.alike, 'published run')} like it {are} known."
    if band.unlike:
        return f"No published run like it is known: the nearest differ in {differences(band)}, so the range is wider."
    return "No run of its kind was fitted: the range is an assumption."


def first_token_words(band: Band) -> str:
    """How sure the time to the first token is: it hangs on settings that nobody prints."""
    return (
        f"Four of five first tokens that were published took {band.low:.2g} to {band.high:.2g} times as long as is "
        f"predicted without their source ({words.count(band.rows, 'run')}): it hangs on settings of the engine."
    )


def differences(band: Band) -> str:
    """In what the nearest runs differ."""
    return words.listed(_TRAITS.get(name, name) for name in band.unlike)


def held_words(band: Band) -> str:
    """What the range is made of."""
    if not band.rows:
        return ""
    return f"The range holds four of five of {words.count(band.rows, 'run')} whose source was left out of the fit."
