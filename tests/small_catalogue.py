"""A catalogue that fits on two screens, as the files it is made of. Tests change a file and see what happens."""

from pricing.catalogue import Catalogue
from pricing.load import build

CHIPS = """\
about: "Two H100s that a careless name mixes up, one chip that is only rented, and one that nobody sells."
sources:
  maker:
    {title: Data sheet, url: "https://example.org/sheet", retrieved: 2026-09-01, via: document, licence: facts cited}
accelerators:
  H100-SXM5-80GB:
    label: H100 SXM5 80 GB
    vendor: NVIDIA
    kind: gpu
    form_factor: SXM5
    aliases: [H100-SXM, H100-SXM5]
    confidence: high
    memory_gb: {unit: GB, checked: 2026-09-01, values: {2022-09-01: {typical: 80, kind: spec, source: maker}}}
    price_usd:
      unit: USD
      checked: 2026-09-01
      values:
        2025-03-01: {typical: 28000, low: 25000, high: 31000, kind: reported, source: maker}
        2026-09-01: {typical: 30000, kind: reported, source: maker}
  H100-PCIe-80GB:
    {label: H100 PCIe 80 GB, vendor: NVIDIA, kind: gpu, form_factor: PCIe, aliases: [H100-PCIe], confidence: high}
  RTX-4090-24GB:
    {label: GeForce RTX 4090 24 GB, vendor: NVIDIA, kind: gpu, form_factor: PCIe, aliases: [RTX-4090], confidence: high}
  TPU-v6e:
    {label: TPU v6e, vendor: Google, kind: tpu, form_factor: board, confidence: medium, rent_only: true}
ambiguous:
  H100:
    label: H100, kind not stated
    candidates: [H100-SXM5-80GB, H100-PCIe-80GB]
    aliases: [H100-80GB]
    why: They differ by a third in compute.
"""

MACHINES = """\
about: "One machine with eight H100s, two with eight RTX 4090s."
servers:
  HGX-H100-8: {label: HGX H100 with 8 GPUs, accelerator: H100-SXM5-80GB, accelerators: 8, confidence: high, price_usd: {
    unit: USD, checked: 2026-09-01, values: {2026-09-01: {typical: 290000, kind: reported, source: maker}}}}
  Tower-4090-8: {label: Tower with 8 RTX 4090, accelerator: RTX-4090-24GB, accelerators: 8, confidence: low}
  Rack-4090-8: {label: Rack with 8 RTX 4090, accelerator: RTX-4090-24GB, accelerators: 8, confidence: low}
"""

RENTALS = """\
about: "What three providers ask."
sources:
  lists:
    {title: Price lists, url: "https://example.org/prices", retrieved: 2026-11-01, via: official_page, licence: MIT}
providers:
  northcloud: {label: North Cloud, kind: neocloud, aliases: [NorthCloud Inc]}
  southcloud: {label: South Cloud, kind: hyperscaler}
  spotmarket: {label: Spot Market, kind: marketplace}
offers:
  northcloud/H100-SXM5-80GB/8x/eu-1/on_demand:
    provider: northcloud
    accelerator: H100-SXM5-80GB
    accelerators_per_instance: 8
    region: eu-1
    area: europe
    purchase: on_demand
    sku: h100x8
    usd_per_instance_hour: 32
    usd_per_accelerator_hour:
      unit: USD/accelerator-hour
      checked: 2026-11-10
      values:
        2026-05-01: {typical: 3.5, kind: list_price, source: lists}
        2026-11-01: {typical: 4.0, low: 3.8, high: 4.2, kind: list_price, source: lists}
  northcloud/H100-SXM5-80GB/8x/us-1/on_demand:
    {provider: northcloud, accelerator: H100-SXM5-80GB, accelerators_per_instance: 8, region: us-1, area: north_america,
     purchase: on_demand, usd_per_accelerator_hour: {unit: USD/accelerator-hour, checked: 2026-11-01, values: {
       2026-11-01: {typical: 3.0, kind: list_price, source: lists}}}}
  northcloud/H100-SXM5-80GB/8x/us-1/reserved_1y:
    {provider: northcloud, accelerator: H100-SXM5-80GB, accelerators_per_instance: 8, region: us-1, area: north_america,
     purchase: reserved_1y, usd_per_accelerator_hour: {unit: USD/accelerator-hour, checked: 2026-11-01, values: {
       2026-11-01: {typical: 2.0, kind: list_price, source: lists}}}}
  southcloud/H100-PCIe-80GB/1x/global/on_demand:
    {provider: southcloud, accelerator: H100-PCIe-80GB, accelerators_per_instance: 1, region: global, area: anywhere,
     purchase: on_demand, doubts: [component_only], usd_per_accelerator_hour: {unit: USD/accelerator-hour,
       checked: 2026-11-21, values: {2026-11-21: {typical: 1.0, kind: list_price, source: lists}}}}
  southcloud/H100-SXM5-80GB/8x/global/on_demand:
    {provider: southcloud, accelerator: H100-SXM5-80GB, accelerators_per_instance: 8, region: global, area: anywhere,
     purchase: on_demand}
  spotmarket/H100/1x/global/spot:
    {provider: spotmarket, accelerator: H100, accelerators_per_instance: 1, region: global, area: anywhere,
     purchase: spot, doubts: [accelerator_not_stated], usd_per_accelerator_hour: {unit: USD/accelerator-hour,
       checked: 2026-11-01, values: {2026-11-01: {typical: 1.5, kind: list_price, source: lists}}}}
"""


def small_contents() -> dict[str, bytes]:
    """The files, by name, as the loader reads them."""
    files = {"accelerators/chips.yaml": CHIPS, "rentals/offers.yaml": RENTALS, "servers/machines.yaml": MACHINES}
    return {name: text.encode() for name, text in files.items()}


def small_catalogue() -> Catalogue:
    return build(small_contents(), digest="small")
