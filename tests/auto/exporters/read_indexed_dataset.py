#!/usr/bin/env python3
"""Prints PREFIX.bin and PREFIX.idx of Megatron-LM as JSON, read by the format's description alone.

Usage: read_indexed_dataset.py PREFIX     {"type": "uint16", "documents": [[[ids of a sequence], ...], ...]}
"""
import json
import struct
import sys

TYPES = {4: ("int32", "i", 4), 8: ("uint16", "H", 2)}


def numbers(code, count, data, at):
    return struct.unpack_from(f"<{count}{code}", data, at), at + count * struct.calcsize(code)


def main(prefix):
    with open(prefix + ".idx", "rb") as file:
        index = file.read()
    with open(prefix + ".bin", "rb") as file:
        ids = file.read()
    magic, version, kind, sequences, documents = struct.unpack_from("<9sQBQQ", index)
    assert magic == b"MMIDIDX\0\0" and version == 1, (magic, version)
    name, code, size = TYPES[kind]
    lengths, at = numbers("i", sequences, index, struct.calcsize("<9sQBQQ"))
    offsets, at = numbers("q", sequences, index, at)
    bounds, at = numbers("q", documents, index, at)
    assert at == len(index), f"{len(index) - at} bytes behind the index"
    assert bounds[0] == 0 and bounds[-1] == sequences, bounds
    assert sum(lengths) * size == len(ids), (sum(lengths), len(ids))
    texts = [list(numbers(code, length, ids, offset)[0]) for length, offset in zip(lengths, offsets)]
    print(json.dumps({"type": name, "documents": [texts[a:b] for a, b in zip(bounds, bounds[1:])]}))


main(*sys.argv[1:])
