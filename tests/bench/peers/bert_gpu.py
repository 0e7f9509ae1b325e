#!/usr/bin/env python3
"""A training step of BERT in PyTorch on one GPU: bfloat16 with float32 masters, fused AdamW, full rows without a mask,
the head on the masked positions alone. The peer of bench_training."""
import torch
from torch import nn
from torch.nn import functional as F

import gpu_peer

# Layers, width, heads, vocabulary, positions.
MODELS = {"bert-tiny": (2, 128, 2, 30522, 512), "bert-base": (12, 768, 12, 30522, 512),
          "bert-large": (24, 1024, 16, 30522, 512)}
EPSILON = 1e-12

asked = gpu_peer.options(__doc__, MODELS, 128)
LAYERS, WIDTH, HEADS, VOCABULARY, POSITIONS = MODELS[asked.model]
PREDICTIONS = (asked.length * 5 + 31) // 32  # 20 of 128, 80 of 512


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, EPSILON), nn.LayerNorm(WIDTH, EPSILON)

    def attend(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        context = gpu_peer.attention(q, k, v, asked.mode, asked.dropout, causal=False)
        return self.out(context.transpose(1, 2).reshape(batch, length, WIDTH))

    def forward(self, x):
        x = self.norm1(x + F.dropout(self.attend(x), asked.dropout))
        return self.norm2(x + F.dropout(self.outer(F.gelu(self.inner(x))), asked.dropout))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(n, WIDTH) for n in (VOCABULARY, POSITIONS, 2))
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pooler, self.transform = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.transform_norm = nn.LayerNorm(WIDTH, EPSILON)
        self.decoder_bias = nn.Parameter(torch.zeros(VOCABULARY))
        self.next_sentence = nn.Linear(WIDTH, 2)

    def forward(self, words, types, masked, labels, next_sentence):
        x = self.words(words) + self.positions.weight[: words.shape[1]] + self.types(types)
        x = F.dropout(self.norm(x), asked.dropout)
        for layer in self.layers:
            x = layer(x)
        sentences = self.next_sentence(torch.tanh(self.pooler(x[:, 0])))
        predicted = x.gather(1, masked[:, :, None].expand(-1, -1, WIDTH))
        logits = F.linear(self.transform_norm(F.gelu(self.transform(predicted))), self.words.weight, self.decoder_bias)
        return (F.cross_entropy(logits.float().view(-1, VOCABULARY), labels.view(-1))
                + F.cross_entropy(sentences.float(), next_sentence))


def batch(device):
    shape = (asked.micro, asked.length)
    masked = torch.rand(shape, device=device).argsort(1)[:, :PREDICTIONS].sort(1).values
    return (torch.randint(5, VOCABULARY, shape, device=device), torch.randint(0, 2, shape, device=device), masked,
            torch.randint(5, VOCABULARY, masked.shape, device=device), torch.randint(0, 2, (asked.micro,), device=device))


def operations():
    """Of a sequence, forward and backward, as the planner counts them (engine/planner/time/step_stats.h)."""
    length, inner = asked.length, 4 * WIDTH
    layer = 2 * length * (4 * WIDTH**2 + 2 * WIDTH * inner) + 4 * length**2 * WIDTH
    return 3 * (LAYERS * layer + 2 * PREDICTIONS * (WIDTH**2 + WIDTH * VOCABULARY) + 2 * WIDTH**2 + 4 * WIDTH)


gpu_peer.run(Bert, batch, operations(), PREDICTIONS, asked)
