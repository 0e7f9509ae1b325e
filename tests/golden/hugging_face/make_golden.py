#!/usr/bin/env python3
"""Makes small models of every kind that Trainyard imports, and what Hugging Face's own code computes from them.

    python3 make_golden.py        (torch 2.11.0, transformers 5.23.0, safetensors)

Each case is a folder: config.json and weights as save_pretrained() writes them, inputs.safetensors, and
expected.safetensors with the loss and the gradients of all parameters in float64, dropout off. All weights are
random, those of norms and biases too, so that each of them matters. Token 0 also stands where nothing is masked:
Hugging Face's BERT gives the padding word no gradient from its look-ups.
"""

import pathlib
import shutil

import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, GPT2Config, GPT2LMHeadModel

FOLDER = pathlib.Path(__file__).parent
SEQUENCES, LENGTH, VOCABULARY = 3, 9, 19

BERT = dict(vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
            max_position_embeddings=11)
GPT2 = dict(vocab_size=VOCABULARY, n_embd=8, n_layer=2, n_head=2, n_positions=11, bos_token_id=1, eos_token_id=1)


def bert_inputs():
    mask = torch.ones(SEQUENCES, LENGTH, dtype=torch.long)
    mask[1, 6:] = 0
    labels = torch.full((SEQUENCES, LENGTH), -100)
    for row in range(SEQUENCES):
        labels[row, torch.randperm(6)[:2]] = torch.randint(0, VOCABULARY, (2,))
    types = torch.zeros(SEQUENCES, LENGTH, dtype=torch.long)
    types[:, 4:] = 1
    ids = torch.randint(0, VOCABULARY, (SEQUENCES, LENGTH))
    ids[0, 2] = 0
    return dict(input_ids=ids, attention_mask=mask, token_type_ids=types, labels=labels,
                next_sentence_label=torch.tensor([0, 1, 1]))


def gpt2_inputs():
    ids = torch.randint(0, VOCABULARY, (SEQUENCES, LENGTH))
    labels = ids.clone()
    labels[2, 5:] = -100
    return dict(input_ids=ids, labels=labels)


def without(inputs, *names):
    return {name: tensor for name, tensor in inputs.items() if name not in names}


def write(name, model, inputs, max_shard_size="1GB"):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    model.eval().save_pretrained(folder, max_shard_size=max_shard_size)
    save_file(inputs, folder / "inputs.safetensors")
    model.double()
    loss = model(**inputs).loss
    loss.backward()
    expected = {"loss": loss.detach().double().reshape(1)}
    for parameter_name, parameter in model.named_parameters():
        if parameter.grad is not None:
            expected["grad." + parameter_name] = parameter.grad
    save_file(expected, folder / "expected.safetensors")


def main():
    torch.manual_seed(1)
    for name, options in {"bert": {}, "bert-relu": dict(hidden_act="relu"),
                          "bert-gelu-tanh": dict(hidden_act="gelu_pytorch_tanh", layer_norm_eps=1e-5),
                          "bert-untied": dict(tie_word_embeddings=False),
                          "bert-three-types": dict(type_vocab_size=3)}.items():
        write(name, BertForPreTraining(BertConfig(**BERT, **options)), bert_inputs())
    write("bert-sharded", BertForPreTraining(BertConfig(**BERT)), bert_inputs(), "3KB")
    write("bert-unmasked", BertForPreTraining(BertConfig(**BERT)),
          without(bert_inputs(), "attention_mask", "token_type_ids"))
    write("bert-masked-lm", BertForMaskedLM(BertConfig(**BERT)), without(bert_inputs(), "next_sentence_label"))
    for name, options in {"gpt2": {}, "gpt2-inner": dict(n_inner=14, activation_function="relu"),
                          "gpt2-gelu": dict(activation_function="gelu"),
                          "gpt2-untied": dict(tie_word_embeddings=False)}.items():
        write(name, GPT2LMHeadModel(GPT2Config(**GPT2, **options)), gpt2_inputs())
    write("gpt2-sharded", GPT2LMHeadModel(GPT2Config(**GPT2)), gpt2_inputs(), "3KB")


if __name__ == "__main__":
    main()
