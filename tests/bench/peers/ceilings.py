#!/usr/bin/env python3
"""What the GPU itself reaches: products of bfloat16 and float32, copies within it and from the host, cost of a launch."""
import argparse
import json
import time

import torch

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--json", help="file for the figures")
asked = parser.parse_args()


def seconds(operation, times):
    for _ in range(3):
        operation()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(times):
        operation()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / times


def product(size, dtype, times):
    a, b = (torch.randn(size, size, device="cuda", dtype=dtype) for _ in range(2))
    out = torch.empty_like(a)
    return 2 * size**3 / seconds(lambda: torch.mm(a, b, out=out), times)


def copy(source, target, times):
    return source.numel() * source.element_size() / seconds(lambda: target.copy_(source, non_blocking=True), times)


gib = 1 << 30
there = torch.zeros(gib, dtype=torch.uint8, device="cuda")
other = torch.zeros_like(there)
pinned = torch.zeros(gib, dtype=torch.uint8, pin_memory=True)
one = torch.zeros(1, device="cuda")
figures = {
    "device": torch.cuda.get_device_name(),
    "product_bfloat16_8192": product(8192, torch.bfloat16, 30),
    "product_float32_8192": product(8192, torch.float32, 5),
    "read_and_write_bytes_per_second": 2 * copy(there, other, 20),
    "to_device_bytes_per_second": copy(pinned, there, 5),
    "from_device_bytes_per_second": copy(there, pinned, 5),
    "launch_seconds": seconds(lambda: one.add_(1), 1000),
}
for name, value in figures.items():
    print(name, value if isinstance(value, str) else "%.4g" % value)
if asked.json:
    with open(asked.json, "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)
