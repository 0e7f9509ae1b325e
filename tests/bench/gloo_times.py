"""Times of torch.distributed's all_reduce with gloo: one line of JSON per size. bench_all_reduce runs it.

    gloo_times.py RANKS LARGEST_BYTES TURNS
"""
import json
import os
import socket
import subprocess
import sys
import time

ranks, largest, turns = map(int, sys.argv[1:4])

if "RANK" not in os.environ:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    common = dict(os.environ, WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                  GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")
    processes = [subprocess.Popen([sys.executable] + sys.argv, env=dict(common, RANK=str(rank)))
                 for rank in range(ranks)]
    sys.exit(max(process.wait() for process in processes))

import torch
import torch.distributed as distributed

torch.set_num_threads(1)
distributed.init_process_group("gloo")
size = 4 << 10
while size <= largest:
    values = torch.zeros(size // 4)
    calls = max(2, min(200, int(1e8 / size)))
    seconds = []
    for turn in range(turns + 1):
        distributed.barrier()
        start = time.perf_counter()
        for _ in range(calls):
            distributed.all_reduce(values)
        distributed.barrier()
        seconds.append((time.perf_counter() - start) / calls)
    if distributed.get_rank() == 0:
        print(json.dumps({"bytes": size, "gloo": seconds[1:]}), flush=True)
    size *= 4
distributed.destroy_process_group()
