#!/usr/bin/env python3
"""The model of training_times in plain PyTorch, as one JSON object on stdout: the peer to be compared with.

Variants: --attention eager (matrix products) or sdpa; --compute float32 or bfloat16 (weights of bfloat16 with float32
masters in the optimizer); --precision highest (PyTorch's default) or medium; --impl own (the modules below) or hf
(transformers' BertForPreTraining). Weights and data are those of hash_seeded.h, so losses can be compared.
"""
import argparse
import json
import math
import os
import resource
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--model", choices=["a", "b"], default="a")
parser.add_argument("--compute", choices=["float32", "bfloat16"], default="float32")
parser.add_argument("--attention", choices=["eager", "sdpa"], default="eager")
parser.add_argument("--precision", choices=["highest", "medium"], default="medium")
parser.add_argument("--impl", choices=["own", "hf"], default="own")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--warm-up", type=int, default=3)
parser.add_argument("--steps", type=int, default=10)
args = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = str(args.threads)

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(args.threads)
torch.set_float32_matmul_precision(args.precision)
SEED, MICRO, LENGTH, PREDICTIONS, EPSILON = 1234, 8, 128, 20, 1e-12
LAYERS, HIDDEN, HEADS, VOCABULARY = (4, 256, 4, 8192) if args.model == "a" else (2, 768, 12, 30528)


def mix(x):
    with np.errstate(over="ignore"):
        z = x + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def stream(number, count):
    with np.errstate(over="ignore"):
        return mix(mix(np.array([number], dtype=np.uint64))[0] + np.arange(count, dtype=np.uint64))


@torch.no_grad()
def fill_from_hash(model):
    amplitude = np.float32(0.02 * math.sqrt(3.0))
    for number, (name, weight) in enumerate(model.named_parameters()):
        if weight.dim() == 1:
            weight.fill_(1.0 if name.endswith("weight") else 0.0)
            continue
        bits = stream(SEED * 1000003 + number, weight.numel()) >> np.uint64(40)
        fraction = bits.astype(np.float32) / np.float32(2**24)
        weight.copy_(torch.from_numpy((2 * fraction - 1) * amplitude).view(weight.shape))


def batch(step):
    """Words, token types, masked positions, their labels, next-sentence labels."""
    first = (SEED << 40) + (step * 4096 << 8)
    words = 5 + stream(first + 1, MICRO * LENGTH) % np.uint64(VOCABULARY - 5)
    types = np.zeros((MICRO, LENGTH), np.int64)
    types[:, LENGTH // 2 :] = 1
    order = np.argsort(stream(first + 2, MICRO * LENGTH).reshape(MICRO, LENGTH), axis=1, kind="stable")
    labels = stream(first + 3, MICRO * PREDICTIONS) % np.uint64(VOCABULARY)
    arrays = (words.astype(np.int64).reshape(MICRO, LENGTH), types, np.sort(order[:, :PREDICTIONS], axis=1),
              labels.astype(np.int64).reshape(MICRO, PREDICTIONS), (stream(first + 4, MICRO) & np.uint64(1)).astype(np.int64))
    return [torch.from_numpy(array) for array in arrays]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.out = nn.Linear(HIDDEN, HIDDEN)

    def forward(self, x, bias):
        q, k, v = self.qkv(x).view(MICRO, LENGTH, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        if args.attention == "eager":
            weights = torch.softmax((q @ k.transpose(-1, -2)) * (1.0 / math.sqrt(HIDDEN // HEADS)) + bias, -1)
            context = weights @ v
        else:
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.out(context.transpose(1, 2).reshape(MICRO, LENGTH, HIDDEN))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm1 = nn.LayerNorm(HIDDEN, EPSILON)
        self.inner = nn.Linear(HIDDEN, 4 * HIDDEN)
        self.outer = nn.Linear(4 * HIDDEN, HIDDEN)
        self.norm2 = nn.LayerNorm(HIDDEN, EPSILON)

    def forward(self, x, bias):
        x = self.norm1(x + self.attention(x, bias))
        return self.norm2(x + self.outer(F.gelu(self.inner(x))))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(LENGTH, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pooler = nn.Linear(HIDDEN, HIDDEN)
        self.transform = nn.Linear(HIDDEN, HIDDEN)
        self.transform_norm = nn.LayerNorm(HIDDEN, EPSILON)
        self.decoder_bias = nn.Parameter(torch.zeros(VOCABULARY))
        self.next_sentence = nn.Linear(HIDDEN, 2)

    def forward(self, words, types, positions, labels, next_sentence):
        x = self.norm(self.words(words) + self.positions.weight[None] + self.types(types))
        bias = torch.zeros(MICRO, 1, 1, LENGTH, dtype=x.dtype)  # the mask of full rows
        for layer in self.layers:
            x = layer(x, bias)
        sentences = self.next_sentence(torch.tanh(self.pooler(x[:, 0])))
        masked = x.gather(1, positions[:, :, None].expand(-1, -1, HIDDEN))
        logits = F.linear(self.transform_norm(F.gelu(self.transform(masked))), self.words.weight, self.decoder_bias)
        return (F.cross_entropy(logits.float().view(-1, VOCABULARY), labels.view(-1))
                + F.cross_entropy(sentences.float(), next_sentence))


class HuggingFace(nn.Module):
    """Its own random weights: only for time."""

    def __init__(self):
        super().__init__()
        from transformers import BertConfig, BertForPreTraining

        self.bert = BertForPreTraining(BertConfig(
            vocab_size=VOCABULARY, hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            intermediate_size=4 * HIDDEN, max_position_embeddings=LENGTH, hidden_dropout_prob=0,
            attention_probs_dropout_prob=0, attn_implementation=args.attention)).train()

    def forward(self, words, types, positions, labels, next_sentence):
        targets = torch.full((MICRO, LENGTH), -100).scatter_(1, positions, labels)
        return self.bert(input_ids=words, token_type_ids=types, attention_mask=torch.ones_like(words), labels=targets,
                         next_sentence_label=next_sentence).loss


def make_model():
    if args.impl == "hf":
        return HuggingFace()
    model = Bert()
    fill_from_hash(model)
    return model


model = make_model()
masters = None
if args.compute == "bfloat16":
    model.bfloat16()
    masters = [weight.detach().float().requires_grad_(True) for weight in model.parameters()]
weights = list(model.parameters())
trained = masters or weights
optimizer = torch.optim.AdamW(
    [dict(params=[w for w in trained if w.dim() > 1], weight_decay=0.01),
     dict(params=[w for w in trained if w.dim() == 1], weight_decay=0.0)], lr=1e-3, eps=1e-6, fused=True)


def update():
    if masters:
        for master, weight in zip(masters, weights):
            master.grad = weight.grad.float()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()
    if masters:
        with torch.no_grad():
            torch._foreach_copy_(weights, masters)
    for weight in weights:
        weight.grad = None


losses, wall, processor = [], [], []
for step in range(args.warm_up + args.steps):
    data = batch(step)
    started, used = time.perf_counter(), time.process_time()
    loss = model(*data)
    loss.backward()
    update()
    losses.append(round(float(loss.detach()), 6))
    wall.append(time.perf_counter() - started)
    processor.append(time.process_time() - used)
wall, processor = wall[args.warm_up :], processor[args.warm_up :]
print(json.dumps(dict(
    step_seconds=statistics.median(wall), fastest=min(wall), processor_seconds=statistics.median(processor),
    peak_resident_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, losses=losses)))
