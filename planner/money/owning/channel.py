"""The channel of a purchase: from stock, used, ordered at the maker, or with priority; and how long each takes."""

from planner.money.setting import PlanContext
from pricing import Figure
from pricing.choices import Channel
from pricing.record import Delivery


def channel(setting: PlanContext) -> Channel:
    """Return the channel: yours; else used where only used ones have a price; else the usual one of such machines."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if setting.scenario.own.channel is not None:
        return setting.scenario.own.channel
    return "used" if chip is not None and chip.priced_used else _closest(setting, None).channel


def lead_time(setting: PlanContext) -> Figure:
    """Return how many months machines take through the channel of the plan."""
    return _closest(setting, channel(setting)).lead_time_month


def _closest(setting: PlanContext, wanted: Channel | None) -> Delivery:
    """Return the delivery through a channel, None for the usual one, that names the chip, else its class, else any."""
    key, chip = setting.scenario.accelerator, setting.catalogue.accelerators.get(setting.scenario.accelerator)
    product = "sxm" if chip is None else chip.hardware_class

    def closeness(delivery: Delivery) -> int:
        if delivery.accelerators:
            return 2 if key in delivery.accelerators else -1
        return (1 if product in delivery.products else -1) if delivery.products else 0

    every = setting.catalogue.deliveries.values()
    return max((item for item in every if item.channel == wanted or (wanted is None and item.usual)), key=closeness)
