"""Prints "name type shape sha256-of-values" for every dataset of an HDF5 file, as h5py reads it."""
import hashlib
import sys

import h5py

with h5py.File(sys.argv[1]) as shard:
    for name in sorted(shard):
        values = shard[name][:]
        print(name, values.dtype, values.shape, hashlib.sha256(values.tobytes()).hexdigest())
