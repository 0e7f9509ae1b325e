#!/usr/bin/env python3
"""Prints a MosaicML Streaming folder as JSON, read by the format's description alone; columns must be int32.

Usage: read_mds.py FOLDER     {"shards": [samples of each], "samples": [{column: [values]}, ...]}
"""
import hashlib
import json
import os
import struct
import sys

CONFIG = ("column_encodings", "column_names", "column_sizes", "compression", "format", "hashes", "size_limit", "version")


def samples_of(folder, entry):
    assert entry["format"] == "mds" and entry["version"] == 2 and entry["compression"] is None, entry
    with open(os.path.join(folder, entry["raw_data"]["basename"]), "rb") as file:
        data = file.read()
    assert len(data) == entry["raw_data"]["bytes"] <= entry["size_limit"], (len(data), entry["raw_data"])
    for algorithm in entry["hashes"]:
        assert hashlib.new(algorithm, data).hexdigest() == entry["raw_data"]["hashes"][algorithm], algorithm
    count = struct.unpack_from("<I", data)[0]
    assert count == entry["samples"], (count, entry["samples"])
    offsets = struct.unpack_from(f"<{count + 1}I", data, 4)
    config = json.loads(data[4 * (count + 2):offsets[0]])
    assert config == {key: entry[key] for key in CONFIG}, config
    assert offsets[-1] == len(data), (offsets[-1], len(data))
    return [sample(config, data[a:b]) for a, b in zip(offsets, offsets[1:])]


def sample(config, data):
    names = config["column_names"]
    assert names == sorted(names) and set(config["column_encodings"]) == {"bytes"}, config
    assert config["column_sizes"] == [None] * len(names), config
    sizes = struct.unpack_from(f"<{len(names)}I", data)
    assert 4 * len(names) + sum(sizes) == len(data), (sizes, len(data))
    values, at = {}, 4 * len(names)
    for name, size in zip(names, sizes):
        values[name] = list(struct.unpack_from(f"<{size // 4}i", data, at))
        at += size
    return values


def main(folder):
    with open(os.path.join(folder, "index.json")) as file:
        index = json.load(file)
    assert index["version"] == 2, index["version"]
    shards = [samples_of(folder, entry) for entry in index["shards"]]
    named = {entry["raw_data"]["basename"] for entry in index["shards"]} | {"index.json"}
    assert named == set(os.listdir(folder)), os.listdir(folder)
    print(json.dumps({"shards": [len(s) for s in shards], "samples": [row for s in shards for row in s]}))


main(*sys.argv[1:])
