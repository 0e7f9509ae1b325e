"""Times of torch.save and torch.load of as many bytes as checkpoint_times handles, one line of JSON.

    torch_checkpoint_times.py FOLDER THREADS
"""
import json
import os
import shutil
import sys
import time

import torch

HIDDEN, LAYERS, WORDS = 768, 2, 30528
SHAPES = ([(WORDS, HIDDEN), (128, HIDDEN), (2, HIDDEN)]
          + LAYERS * ([(HIDDEN, HIDDEN)] * 4 + [(4 * HIDDEN, HIDDEN), (HIDDEN, 4 * HIDDEN)] + [(HIDDEN,)] * 9
                      + [(4 * HIDDEN,)])
          + [(HIDDEN, HIDDEN)] * 2 + [(HIDDEN,)] * 6 + [(WORDS,), (2, HIDDEN)])

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
state = {f"{kind}.{number}": torch.randn(shape)
         for kind in ("weight", "exp_avg", "exp_avg_sq") for number, shape in enumerate(SHAPES)}
path = os.path.join(folder, "state.pt")

start = time.perf_counter()
with open(path, "wb") as file:
    torch.save(state, file)
    file.flush()
    os.fsync(file.fileno())
save = time.perf_counter() - start

copy = os.path.join(folder, "copy.pt")
shutil.copyfile(path, copy)
with open(copy, "rb") as file:
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
start = time.perf_counter()
loaded = torch.load(copy)
for name, values in loaded.items():  # into the tensors of the model and the optimizer
    state[name].copy_(values)
load = time.perf_counter() - start
print(json.dumps({"program": "torch", "bytes": sum(t.nbytes for t in state.values()), "save": save, "load": load}))
