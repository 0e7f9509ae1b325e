#!/usr/bin/env python3
"""Trains low-rank adapters of small models with PEFT: what tst_low_rank_adapters holds Trainyard's against.

    python3 make_golden.py        (torch 2.15.0, transformers 4.57.6, peft 0.21.2, safetensors)

The models and inputs are those of ../hugging_face. Each case is a folder, in float64, with dropout off:
    initial.safetensors   adapters, and the head of a task, before the first step; B is drawn too, so that A has a
                          gradient from the beginning
    trained.safetensors   the same after 20 steps of AdamW, and "losses" before each of them
Tensors have the names of adapter_model.safetensors.
"""

import pathlib
import shutil

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import load_file, save_file
from transformers import BertForPreTraining, BertForSequenceClassification, GPT2LMHeadModel

FOLDER = pathlib.Path(__file__).parent
MODELS = FOLDER.parent / "hugging_face"
STEPS, LEARNING_RATE, WEIGHT_DECAY = 20, 1e-2, 0.01

CASES = {
    "bert": ("bert", BertForPreTraining, dict(r=2, lora_alpha=6, target_modules=["query", "value"])),
    "bert-every-product": ("bert", BertForPreTraining,
                           dict(r=3, lora_alpha=3, target_modules=["query", "key", "value", "output.dense",
                                                                   "intermediate.dense"])),
    "bert-classify": ("bert", BertForSequenceClassification,
                      dict(r=2, lora_alpha=4, task_type="SEQ_CLS", target_modules=["key", "value"])),
    "gpt2": ("gpt2", GPT2LMHeadModel, dict(r=2, lora_alpha=4, target_modules=["c_attn"], fan_in_fan_out=True)),
    "gpt2-every-product": ("gpt2", GPT2LMHeadModel,
                           dict(r=3, lora_alpha=6, target_modules=["c_attn", "c_proj", "c_fc"],
                                fan_in_fan_out=True)),
}


def inputs_of(base, model_class):
    inputs = load_file(MODELS / base / "inputs.safetensors")
    if model_class is BertForSequenceClassification:
        inputs["labels"] = inputs.pop("next_sentence_label")
    return inputs


def state_of(model):
    state = get_peft_model_state_dict(model, save_embedding_layers=False)
    return {name: tensor.detach().clone().contiguous() for name, tensor in state.items()}


def draw(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.copy_(0.1 * torch.randn_like(parameter))


def trained(model, inputs):
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    decayed = [parameter for parameter in parameters if parameter.dim() > 1]
    biases = [parameter for parameter in parameters if parameter.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": WEIGHT_DECAY},
                                   {"params": biases, "weight_decay": 0.0}], lr=LEARNING_RATE)
    losses = []
    for _ in range(STEPS):
        loss = model(**inputs).loss
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return torch.tensor(losses, dtype=torch.float64)


def write(name, base, model_class, options):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    model = get_peft_model(model_class.from_pretrained(MODELS / base), LoraConfig(**options)).double().eval()
    draw(model)
    folder.mkdir()
    save_file(state_of(model), folder / "initial.safetensors")
    losses = trained(model, inputs_of(base, model_class))
    save_file({**state_of(model), "losses": losses}, folder / "trained.safetensors")
    print(name, f"{losses[0]:.6f} -> {losses[-1]:.6f}")


def main():
    torch.manual_seed(1)
    for name, (base, model_class, options) in CASES.items():
        write(name, base, model_class, options)


if __name__ == "__main__":
    main()
