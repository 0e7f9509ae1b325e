"""What bert_gpu.py and gpt_gpu.py share: options, the training step in bfloat16 with float32 masters, times, and the
JSON object whose members are named as those of bench_training."""
import argparse
import json
import statistics
import time

import torch
from torch.nn import functional as F

WEIGHT_DECAY, RATE, CLIP = 0.01, 1e-4, 1.0
MODES = ("eager", "sdpa", "compiled")


def options(description, models, length):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mode", choices=MODES, default="eager",
                        help="attention as products and a softmax; as one kernel; that and the whole step compiled")
    parser.add_argument("--model", choices=sorted(models), default=sorted(models)[0])
    parser.add_argument("--length", type=int, default=length)
    parser.add_argument("--micro", type=int, default=8)
    parser.add_argument("--dropout", type=float, default=0.0, help="of hidden states and probabilities")
    parser.add_argument("--steps", type=int, default=20, help="that count")
    parser.add_argument("--skip", type=int, default=10, help="first steps, which do not")
    parser.add_argument("--peak-tflops", type=float)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--json", help="file; default: stdout")
    return parser.parse_args()


def attention(q, k, v, mode, dropout, causal):
    """[B, heads, S, D] each; nothing is masked but the future."""
    if mode != "eager":
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=causal)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        length = q.shape[-2]
        future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
    return F.dropout(torch.softmax(scores, -1), dropout) @ v


def initialise(model):
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.02)
    return model


class Masters:
    """float32 weights behind those of bfloat16, moved by the fused AdamW after clipping."""

    def __init__(self, model):
        self.weights = list(model.parameters())
        self.masters = [weight.detach().float() for weight in self.weights]
        decayed = [m for m in self.masters if m.dim() > 1]
        others = [m for m in self.masters if m.dim() <= 1]
        groups = [dict(params=decayed, weight_decay=WEIGHT_DECAY), dict(params=others, weight_decay=0.0)]
        self.optimizer = torch.optim.AdamW(groups, lr=RATE, fused=True)

    def update(self):
        for master, weight in zip(self.masters, self.weights):
            master.grad = weight.grad.float()
            weight.grad = None
        torch.nn.utils.clip_grad_norm_(self.masters, CLIP, foreach=True)
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_copy_(self.weights, self.masters)


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def measure(model, batch, asked):
    """Seconds and losses of the steps that count."""
    device = next(model.parameters()).device
    forward = torch.compile(model) if asked.mode == "compiled" else model
    masters = Masters(model)
    seconds, losses = [], []
    for step in range(asked.skip + asked.steps):
        synchronize(device)
        began = time.perf_counter()
        loss = forward(*batch)
        loss.backward()
        masters.update()
        losses.append(float(loss.detach()))  # as a run has it, that writes the loss of each step
        synchronize(device)
        seconds.append(time.perf_counter() - began)
    return seconds[asked.skip:], losses[asked.skip:]


def memory_of(device):
    if device.type != "cuda":
        return {}
    return {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved(),
            "total": torch.cuda.get_device_properties(0).total_memory}


def run(make_model, make_batch, operations, predictions, asked):
    """make_model() on the processor in float32; make_batch(device); operations: of one sequence, forward and backward."""
    torch.manual_seed(1)
    device = torch.device(asked.device)
    model = initialise(make_model()).to(device=device, dtype=torch.bfloat16).train()
    seconds, losses = measure(model, make_batch(device), asked)
    median = statistics.median(seconds)
    rate = operations * asked.micro / median
    text = json.dumps({
        "program": "PyTorch " + asked.mode, "version": torch.__version__, "model": asked.model, "compute": "bfloat16",
        "length": asked.length, "predictions": predictions, "micro": asked.micro, "dropout": asked.dropout,
        "steps": len(seconds), "step_seconds": median, "fastest_seconds": min(seconds),
        "sequences_per_second": asked.micro / median, "tokens_per_second": asked.micro * asked.length / median,
        "operations": operations * asked.micro, "tflops": rate * 1e-12,
        "mfu": rate / (asked.peak_tflops * 1e12) if asked.peak_tflops else None,
        "memory": memory_of(device), "losses": losses}, indent=1)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    print("PyTorch %s: %.1f ms/step, %.1f sequences/s, %.1f TFLOP/s"
          % (asked.mode, median * 1e3, asked.micro / median, rate * 1e-12) if asked.json else text)
