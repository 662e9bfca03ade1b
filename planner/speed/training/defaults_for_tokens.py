"""What a published run was free to choose and does not say: the best there is, or what memory asked for."""

from __future__ import annotations

from dataclasses import replace

from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.training.constants import house_calibration
from planner.speed.training.defaults import Known
from planner.speed.training.fitting import fits
from planner.speed.training.layout import Wish, search
from planner.speed.training.memory import peak_memory
from planner.speed.training.plan import Plan

# Before, layers were recomputed whole where memory was short; since, only norms and gates are, which is nearly free.
# On one machine people took smaller models instead.
WHOLE_LAYERS_UNTIL, ONE_MACHINE = 2024.4, 8


def chosen(shape: Network, chip: Hardware, plan: Plan, known: Known) -> Plan:
    """The plan with the layout of a mixture and the recompute that nobody stated.

    A pod's torus is no switch: what the search would take for free there, compilers do not, so it is for GPUs.
    """
    if chip.is_gpu and float(shape.moe_layers) > 0 and (known.tp is None or known.pp is None):
        plan = _fastest(shape, chip, plan, known)
    tight = plan.accelerators > ONE_MACHINE and plan.year < WHOLE_LAYERS_UNTIL
    if known.recompute is None and tight and not fits(peak_memory(shape, plan), chip):
        plan = replace(plan, recompute=1.0, selective=0.0)
    return plan


def _fastest(shape: Network, chip: Hardware, plan: Plan, known: Known) -> Plan:
    """The fastest legal layout that fits, of those that agree with what is stated; as it was if there is none."""
    wish = Wish(
        tp=known.tp, pp=known.pp, vpp=known.vpp, cp=known.cp, ep=known.ep, dp=known.dp, micro_batch=known.micro_batch,
        shard=known.shard, recompute=None if known.recompute is None else float(known.recompute >= 1),
    )  # fmt: skip
    found = search(shape, chip, plan, house_calibration().constants, wish=wish).found
    return found[0].plan if found else plan
