#!/usr/bin/env python3
"""worker_run.py train KIT FOLDER: the worker itself trains a small model on the device, is told to stop, and its
checkpoint is continued on the processor. worker_run.py probe KIT FOLDER: it measures the device for the planner, in
FOLDER/probes.json. Says what went wrong, and ends with status 1."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

CANCELLED = 130
STEPS_LATER = 20


PROBED = {
    "name": "probe", "model": {"preset": "bert-large"}, "cluster": {"nodes": [{"host": "localhost", "slots": 1}]},
    "precision": {"compute": "bfloat16"}, "dataset": {"path": "none"}, "launch": {"device": "cuda", "steps": 1},
}


def worker(kit, command, folder, attempt):
    words = [os.path.join(kit, "run"), "trainyard-worker", command, "--run-dir", folder, "--attempt", str(attempt)]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)


def wait_for_steps(folder, process):
    """Until the journal grows, so that there is something to stop."""
    steps = os.path.join(folder, "journal", "steps")
    while process.poll() is None:
        if os.path.exists(steps) and os.path.getsize(steps) > 4096:
            return
        time.sleep(0.05)


def edit_spec(folder, change):
    path = os.path.join(folder, "spec.json")
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    change(spec)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file, indent=1)


def checkpoint_step(folder):
    with open(os.path.join(folder, "checkpoints", "latest"), encoding="utf-8") as file:
        return int(file.read().strip().split("-")[1])


def on_processor(step):
    def change(spec):
        spec["launch"]["device"] = "cpu"
        spec["launch"]["steps"] = step + STEPS_LATER

    return change


def train(kit, folder):
    subprocess.check_call([os.path.join(kit, "run"), "trainyard-gpu-check", "write-run", folder])
    process = worker(kit, "train", folder, 1)
    wait_for_steps(folder, process)
    process.send_signal(signal.SIGTERM)
    status = process.wait()
    if status != CANCELLED:
        sys.exit("on the device: status %d instead of %d; see %s" % (status, CANCELLED, folder))
    stopped = checkpoint_step(folder)
    edit_spec(folder, on_processor(stopped))
    status = worker(kit, "train", folder, 2).wait()
    if status != 0 or checkpoint_step(folder) != stopped + STEPS_LATER:
        sys.exit("on the processor: status %d, checkpoint of step %d" % (status, checkpoint_step(folder)))
    print("stopped after step %d on the device, continued to step %d on the processor" % (stopped, checkpoint_step(folder)))


def probe(kit, folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "probe.json"), "w", encoding="utf-8") as file:
        json.dump(PROBED, file, indent=1)
    status = worker(kit, "probe", folder, 1).wait()
    if status != 0:
        sys.exit("status %d; see %s" % (status, folder))
    with open(os.path.join(folder, "probes.json"), encoding="utf-8") as file:
        print(file.read())


def main():
    command, kit, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    {"train": train, "probe": probe}[command](kit, folder)


if __name__ == "__main__":
    main()
