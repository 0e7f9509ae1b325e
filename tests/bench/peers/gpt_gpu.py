#!/usr/bin/env python3
"""A training step of GPT in PyTorch on one GPU: bfloat16 with float32 masters, fused AdamW, full rows, each token but
the last predicts the next. The peer of bench_training."""
import torch
from torch import nn
from torch.nn import functional as F

import gpu_peer

# Layers, width, heads, vocabulary, positions.
MODELS = {"gpt2": (12, 768, 12, 50257, 1024), "gpt-1.3b": (24, 2048, 16, 50257, 2048),
          "gpt2-xl": (48, 1600, 25, 50257, 1024)}

asked = gpu_peer.options(__doc__, MODELS, 1024)
LAYERS, WIDTH, HEADS, VOCABULARY, POSITIONS = MODELS[asked.model]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def attend(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        context = gpu_peer.attention(q, k, v, asked.mode, asked.dropout, causal=True)
        return self.out(context.transpose(1, 2).reshape(batch, length, WIDTH))

    def forward(self, x):
        x = x + F.dropout(self.attend(self.norm1(x)), asked.dropout)
        return x + F.dropout(self.outer(F.gelu(self.inner(self.norm2(x)), approximate="tanh")), asked.dropout)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, words):
        x = F.dropout(self.words(words) + self.positions.weight[: words.shape[1]], asked.dropout)
        for layer in self.layers:
            x = layer(x)
        logits = F.linear(self.norm(x), self.words.weight)
        return F.cross_entropy(logits[:, :-1].float().reshape(-1, VOCABULARY), words[:, 1:].reshape(-1))


def batch(device):
    return (torch.randint(5, VOCABULARY, (asked.micro, asked.length), device=device),)


def operations():
    """Of a sequence, forward and backward, as the planner counts them (engine/planner/time/step_stats.h)."""
    length, inner = asked.length, 4 * WIDTH
    layer = 2 * length * (4 * WIDTH**2 + 2 * WIDTH * inner) + 4 * length**2 * WIDTH
    return 3 * (LAYERS * layer + 2 * length * WIDTH * VOCABULARY)


gpu_peer.run(Gpt, batch, operations(), 0, asked)
