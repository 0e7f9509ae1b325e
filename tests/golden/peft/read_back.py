#!/usr/bin/env python3
"""Prints the loss of a model with adapters that Trainyard has exported, as PEFT computes it.

    python3 read_back.py BASE ADAPTERS

BASE is a folder of ../hugging_face, with its inputs. A tensor that is missing or that PEFT does not expect is an
error.
"""

import json
import pathlib
import sys
import warnings

from peft import PeftModel
from safetensors.torch import load_file
from transformers import BertForPreTraining, BertForSequenceClassification, GPT2LMHeadModel

base, adapters = map(pathlib.Path, sys.argv[1:])
warnings.simplefilter("error")  # PEFT warns of missing adapter keys
config = json.loads((adapters / "adapter_config.json").read_text())
inputs = load_file(base / "inputs.safetensors")
model_class = GPT2LMHeadModel if base.name == "gpt2" else BertForPreTraining
if config["task_type"] == "SEQ_CLS":
    model_class = BertForSequenceClassification
    inputs["labels"] = inputs.pop("next_sentence_label")
with warnings.catch_warnings():
    warnings.simplefilter("default")
    base_model = model_class.from_pretrained(base)
model = PeftModel.from_pretrained(base_model, adapters).eval()
print(f"{model(**inputs).loss.item():.9f}")
