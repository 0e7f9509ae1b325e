#!/usr/bin/env python3
"""The same as make_golden.py for the families since BERT and GPT-2, with options that published models seldom combine.

    python3 make_family_golden.py        (torch 2.11.0, transformers 5.24.0, safetensors)

Hugging Face's code rounds norms, rotary positions and softmax to float32 whatever the model's type. Here it is made to
compute them in float64, so that what is compared is the mathematics; the loss is in float32, as its classes compute it.
"""

import contextlib
import pathlib
import shutil

import torch
import transformers as hf
from safetensors.torch import save_file

from make_golden import FOLDER, LENGTH, SEQUENCES, VOCABULARY, gpt2_inputs

SHAPE = dict(vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
             max_position_embeddings=16)
GROUPED = dict(SHAPE, num_key_value_heads=1)
LABELS = 3


@contextlib.contextmanager
def in_float64():
    """float32 is float64 to all that asks for it by name."""
    narrow = torch.Tensor.to, torch.Tensor.float, torch.arange, torch.nn.functional.softmax

    def widened(function):
        def wide(value):
            return torch.float64 if value is torch.float32 else value

        return lambda *args, **names: function(*map(wide, args), **{n: wide(v) for n, v in names.items()})

    to, _, arange, softmax = narrow
    torch.Tensor.to, torch.Tensor.float, torch.arange, torch.nn.functional.softmax = (
        widened(to), torch.Tensor.double, widened(arange), widened(softmax))
    try:
        yield
    finally:
        torch.Tensor.to, torch.Tensor.float, torch.arange, torch.nn.functional.softmax = narrow


def masked_inputs(padding):
    ids = torch.randint(0, VOCABULARY, (SEQUENCES, LENGTH))
    ids[1, 6:] = padding
    ids[2, 3] = padding  # no padding, but a word like it
    mask = torch.ones(SEQUENCES, LENGTH, dtype=torch.long)
    mask[1, 6:] = 0
    labels = torch.full((SEQUENCES, LENGTH), -100)
    for row in range(SEQUENCES):
        labels[row, torch.randperm(6)[:2]] = torch.randint(0, VOCABULARY, (2,))
    return dict(input_ids=ids, attention_mask=mask, labels=labels)


def write(name, make, config, inputs):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    with in_float64():
        model = make(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.save_pretrained(folder)
    save_file(inputs, folder / "inputs.safetensors")
    model.double()
    with in_float64():
        logits = model(**{n: t for n, t in inputs.items() if n != "labels"}).logits
    if isinstance(model, hf.RobertaForMaskedLM):
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), inputs["labels"].flatten())
    else:
        loss = model.loss_function(logits=logits, labels=inputs["labels"], vocab_size=VOCABULARY)
    loss.backward()
    expected = {"loss": loss.detach().double().reshape(1), "logits": logits.detach()}
    for parameter_name, parameter in model.named_parameters():
        if parameter.grad is not None:
            expected["grad." + parameter_name] = parameter.grad
    save_file(expected, folder / "expected.safetensors")


def task_inputs(task, padding):
    inputs = {n: t for n, t in masked_inputs(padding).items() if n != "labels"}
    inputs["input_ids"][2, 3] = padding + 1
    if task == "answer":
        return dict(inputs, start_positions=torch.tensor([2, 0, 4]), end_positions=torch.tensor([3, 0, 8]))
    if task == "tag":
        labels = torch.randint(0, LABELS, (SEQUENCES, LENGTH))
        labels[:, 0] = labels[0, 2] = labels[1, 5:] = -100
        return dict(inputs, labels=labels)
    return dict(inputs, labels=torch.randn(SEQUENCES).double() if task == "regress" else torch.tensor([2, 0, 1]))


def write_task(name, task, make, config):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    config._attn_implementation = "eager"
    config.num_labels = dict(regress=1, answer=2).get(task, LABELS)
    inputs = task_inputs(task, config.pad_token_id)
    with in_float64():
        model = make(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.save_pretrained(folder)
    save_file(inputs, folder / "inputs.safetensors")
    model.double()
    with in_float64():
        computed = model(**inputs)
    computed.loss.backward()
    expected = {"loss": computed.loss.detach().reshape(1)}
    for logits in ("logits", "start_logits", "end_logits"):
        if logits in computed:
            expected[logits] = computed[logits].detach().contiguous()
    for parameter_name, parameter in model.named_parameters():
        if parameter.grad is not None:
            expected["grad." + parameter_name] = parameter.grad
    save_file(expected, folder / "expected.safetensors")


def tasks():
    roberta = dict(SHAPE, type_vocab_size=1, classifier_dropout=0.2)
    modernbert = dict(SHAPE, local_attention=4, global_attn_every_n_layers=2, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                      cls_token_id=1, sep_token_id=2)
    biased = dict(modernbert, norm_bias=True, classifier_bias=True)
    for task, kind in dict(classify="SequenceClassification", regress="SequenceClassification", tag="TokenClassification",
                           answer="QuestionAnswering").items():
        yield f"roberta-{task}", task, getattr(hf, f"RobertaFor{kind}"), hf.RobertaConfig(**roberta)
        yield f"modernbert-{task}", task, getattr(hf, f"ModernBertFor{kind}"), hf.ModernBertConfig(
            **(biased if task in ("regress", "answer") else modernbert))


def rope(kind, **options):
    return dict(rope_parameters=dict(rope_theta=10000.0, rope_type=kind, **options))


def decoders():
    llama = (hf.LlamaForCausalLM, hf.LlamaConfig)
    yield "llama-3", *llama, dict(GROUPED, head_dim=6, attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
                                  **rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                         original_max_position_embeddings=8))
    yield "llama-linear", *llama, dict(SHAPE, **rope("linear", factor=2.0))
    yield "llama-yarn", *llama, dict(GROUPED, head_dim=8, **rope("yarn", factor=4.0, beta_fast=4.0,
                                                                original_max_position_embeddings=4))
    yield "mistral-window", hf.MistralForCausalLM, hf.MistralConfig, dict(GROUPED, sliding_window=3)
    yield "qwen2-window", hf.Qwen2ForCausalLM, hf.Qwen2Config, dict(
        GROUPED, use_sliding_window=True, sliding_window=3, layer_types=["full_attention", "sliding_attention"])
    yield "qwen3-biased", hf.Qwen3ForCausalLM, hf.Qwen3Config, dict(GROUPED, head_dim=6, attention_bias=True)
    yield "olmo2-grouped", hf.Olmo2ForCausalLM, hf.Olmo2Config, dict(GROUPED, attention_bias=True)
    yield "gpt-neox-serial", hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig, dict(
        SHAPE, use_parallel_residual=False, attention_bias=False, hidden_act="gelu_new", hidden_dropout=0.0,
        **rope("default", partial_rotary_factor=0.5))
    yield "gemma2-uncapped", hf.Gemma2ForCausalLM, hf.Gemma2Config, dict(
        GROUPED, head_dim=6, query_pre_attn_scalar=9, sliding_window=3, attn_logit_softcapping=None,
        final_logit_softcapping=None, pad_token_id=0)
    yield "gemma2-capped", hf.Gemma2ForCausalLM, hf.Gemma2Config, dict(
        GROUPED, head_dim=4, query_pre_attn_scalar=4, sliding_window=4, attn_logit_softcapping=2.0,
        final_logit_softcapping=3.0, pad_token_id=None)


def mixtures():
    yield "mixtral-window", hf.MixtralForCausalLM, hf.MixtralConfig, dict(
        GROUPED, head_dim=6, sliding_window=3, num_local_experts=4, num_experts_per_tok=3)
    yield "qwen3-moe-sparse", hf.Qwen3MoeForCausalLM, hf.Qwen3MoeConfig, dict(
        GROUPED, head_dim=6, attention_bias=True, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=7,
        decoder_sparse_step=2, norm_topk_prob=False)


def main():
    torch.manual_seed(2)
    for name, make, config, options in decoders():
        write(name, make, config(bos_token_id=1, eos_token_id=2, **options), gpt2_inputs())
    write("roberta-padded", hf.RobertaForMaskedLM, hf.RobertaConfig(**dict(SHAPE, type_vocab_size=1)), masked_inputs(1))
    write("modernbert-biased", hf.ModernBertForMaskedLM, hf.ModernBertConfig(
        **SHAPE, norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True, local_attention=4,
        global_attn_every_n_layers=2, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2),
        masked_inputs(0))
    for name, make, config, options in mixtures():
        write(name, make, config(bos_token_id=1, eos_token_id=2, **options), gpt2_inputs())
    torch.manual_seed(3)
    for name, task, make, config in tasks():
        write_task(name, task, make, config)


if __name__ == "__main__":
    main()
