"""The closed lists of words that describe work. They load nothing, so that `--help` lists them at once."""

from typing import Literal

Kind = Literal["training", "serving"]  # of runs

EngineName = Literal["vllm", "trtllm", "sglang", "tgi", "lmdeploy", "local", "other"]

ServingPrecision = Literal["fp32", "bf16", "fp16", "fp8", "int8", "fp4", "mxfp4", "int4"]
CachePrecision = Literal["bf16", "fp16", "fp8", "int8"]
Mode = Literal["offline", "server", "interactive"]
LoadStart = Literal["random", "steady", "all_at_once"]  # how requests come

TrainingPrecision = Literal["fp32", "tf32", "fp16", "bf16", "fp8", "fp4"]
Method = Literal["full", "frozen", "lora", "qlora"]
Team = Literal["vendor_tuned", "experienced", "ordinary"]
TrainingEngine = Literal["vendor", "pytorch"]
Optimizer = Literal["adamw", "adamw_bf16", "adamw_8bit"]
Zero = Literal["none", "zero1", "zero2", "zero3", "hybrid"]
Recompute = Literal["none", "selective", "full"]

# An assumption: of first guesses 0.85 to 0.9 are right, of further ones fewer (DeepSeek-V3 Technical Report, 2024,
# arXiv:2412.19437, section 5.4.3).
USUAL_ACCEPTED_SHARE = 0.8
USUAL_BUSY_SHARE = 0.60  # of the hours, where nobody says
# Assumptions of ours, said to be so beside their fields: one GPU through the working hours of a month; a job overnight.
USUAL_HOURS_PER_PERSON = 160.0
USUAL_HOURS_PER_JOB = 8.0
USUAL_STORAGE_TB = 10.0  # beside one machine of eight
USUAL_EGRESS_TB_PER_MONTH = 1.0
