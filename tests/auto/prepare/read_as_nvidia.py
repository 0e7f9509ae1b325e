"""Reads a data set of sentence pairs as NVIDIA's and Habana's run_pretraining.py do, and checks every row with
Python's own arithmetic: files by "training" in their name, masks up to the first position that is 0.
Usage: read_as_nvidia.py FOLDER CLS SEP; prints the training rows."""
import os
import sys

import h5py
import numpy

folder, classify, separator = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
KEYS = ["input_ids", "input_mask", "segment_ids", "masked_lm_positions", "masked_lm_ids", "next_sentence_labels"]


def labels_of(length, positions, ids):
    """-1 where there is nothing to predict."""
    zeros = numpy.flatnonzero(positions == 0)
    count = zeros[0] if len(zeros) else len(positions)
    labels = numpy.full(length, -1)
    labels[positions[:count]] = ids[:count]
    return labels, count


def check(ids, mask, segments, positions, masked, label):
    labels, count = labels_of(len(ids), positions, masked)
    tokens = int(mask.sum())
    assert (mask[:tokens] == 1).all() and (ids[tokens:] == 0).all()
    assert count == min(len(positions), max(1, int(round(tokens * 0.15)))), (count, tokens)
    text = numpy.where(labels >= 0, labels, ids)[:tokens]
    assert text[0] == classify and text[-1] == separator and (text == separator).sum() == 2
    first = int(numpy.flatnonzero(text == separator)[0])
    assert (segments[:first + 1] == 0).all() and (segments[first + 1:tokens] == 1).all()
    assert label in (0, 1) and not (labels[[0, first, tokens - 1]] >= 0).any()


rows = 0
for name in sorted(f for f in os.listdir(folder) if "training" in f and f.endswith(".hdf5")):
    with h5py.File(os.path.join(folder, name)) as shard:
        columns = [numpy.asarray(shard[key][:]).astype(numpy.int64) for key in KEYS]
    for row in zip(*columns):
        check(*row)
    rows += len(columns[0])
print(rows)
