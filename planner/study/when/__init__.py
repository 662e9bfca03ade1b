"""When to buy: putting the order off month by month, and deadlines that a plan does not keep."""
