"""What is known of so much data for such a model: what is best for a budget, and what repeats are worth, in words."""

from planner.speed.training.goodput import BEST_TOKENS_PER_PARAM, unique_tokens_worth

# Within twice and half of what fits best nothing is said: the optimum is flat.
NEARLY_BEST = 2.0
# Passes over the same data up to which they are nearly as good as fresh, and from which on little is learnt.
GOOD_PASSES, FEW_LEFT = 4.0, 16.0
_UNITS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def data_facts(*, params: float, tokens: float, unique_tokens: float | None) -> tuple[str, ...]:
    """Sentences on how much data this is for the model, where there is something to say."""
    return (*_amount(params, tokens), *_repeats(tokens, unique_tokens))


def _amount(params: float, tokens: float) -> tuple[str, ...]:
    each, best = tokens / params, BEST_TOKENS_PER_PARAM * params
    if 1 / NEARLY_BEST <= tokens / best <= NEARLY_BEST:
        return ()
    said = (
        f"That is {_digits(each)} tokens for each parameter that works on a token; a given amount of computing brings "
        f"the lowest loss near {BEST_TOKENS_PER_PARAM:.0f}, which for this model is {_many(best)} tokens"
    )
    if tokens > best:
        return (f"{said}. Going on makes a better model of this size, which is cheaper to use than a larger one.",)
    return (f"{said}. A smaller model on more tokens would be better for the same bill.",)


def _repeats(tokens: float, unique_tokens: float | None) -> tuple[str, ...]:
    if unique_tokens is None or unique_tokens >= tokens:
        return ()
    passes = tokens / unique_tokens
    worth = float(unique_tokens_worth(unique_tokens=unique_tokens, tokens=tokens))
    said = (
        f"{_many(unique_tokens)} tokens are seen {_digits(passes)} times: {_many(tokens)} teach as much as "
        f"{_many(worth)} fresh ones ({worth / tokens:.0%})"
    )
    if passes <= GOOD_PASSES:
        return (f"{said}. Up to {GOOD_PASSES:.0f} times, repeats are nearly as good as fresh data.",)
    if passes <= FEW_LEFT:
        return (f"{said}. Beyond {GOOD_PASSES:.0f} times, each repeat is worth less.",)
    return (f"{said}. Beyond {FEW_LEFT:.0f} times, hardly anything more is learnt.",)


def _many(number: float) -> str:
    """1.5 trillion, 400 billion, 12,000."""
    for limit, name in _UNITS:
        if number >= limit:
            return f"{_digits(number / limit)} {name}"
    return f"{number:,.0f}"


def _digits(number: float) -> str:
    """Three digits that matter."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
