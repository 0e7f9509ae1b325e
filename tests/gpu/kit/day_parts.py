"""The four parts of a GPU day: what runs, how long each line may take, and what is kept of it.

A part is a function of a Day that returns its lines. Limits leave room for the start of CUDA (5 to 10 s a process).
"""
import os
import sys

from day_runner import Line, json_file

NO_DEVICE = 102
MISSING = ("missing",)
# Sequences of length 128 and 512 as in the published recipes; the last of each list fills a GPU of 80 GB.
BERT_CASES = [("bert-large", 128, micro, dropout) for micro in (32, 64, 128, 256) for dropout in (0.0, 0.1)] + [
    ("bert-large", 512, micro, dropout) for micro in (16, 32, 64) for dropout in (0.0, 0.1)]
GPT_CASES = [("gpt-1.3b", 2048, 4, 0.0), ("gpt-1.3b", 2048, 8, 0.0), ("gpt2-xl", 1024, 8, 0.0)]
# (model, length, micro, dropout) that PyTorch is measured at too.
PEER_CASES = [("bert-large", 128, 128, 0.1), ("bert-large", 512, 32, 0.1), ("gpt-1.3b", 2048, 4, 0.0)]
VARIANTS = [
    ("ZeRO 3, all offloaded", ["--zero-stage", "3", "--offload-optimizer", "--offload-parameters", "--offload-activations"]),
    ("full recomputation", ["--recompute", "full"]),
    ("float16", ["--compute", "float16"]),
    ("LAMB", ["--optimizer", "lamb"]),
]


class Day:
    def __init__(self, kit, out, peak_tflops, layouts):
        self.kit, self.out, self.peak_tflops = kit, out, peak_tflops
        self.layouts = layouts  # (name, ranks) of trainyard-gpu-check training --list
        self.run = os.path.join(kit, "run")
        # Some machines show no /dev/nvidia0: then the engine counts no device unless one is named.
        self.devices = os.environ.get("CUDA_VISIBLE_DEVICES", "0")

    def environment(self, **more):
        return dict({"CUDA_VISIBLE_DEVICES": self.devices}, **more)

    def check(self, arguments, limit, ranks=1):
        """trainyard-gpu-check; several ranks share the first GPU."""
        name = "%s%s" % (" ".join(arguments), "" if ranks == 1 else ", %d ranks" % ranks)
        file = os.path.join(self.out, name.replace(" ", "-").replace(",", "").replace("--", "") + ".json")
        program = ["trainyard-gpu-check", "--json", file] + ([] if ranks == 1 else ["--share-gpu"]) + arguments
        command = [self.run] + program if ranks == 1 else self.mpirun(ranks) + program
        return Line("gpu-check " + name, command, limit, json_file(file), self.environment(NCCL_DEBUG="WARN"), (NO_DEVICE,))

    def mpirun(self, ranks):
        return [self.run, "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks),
                os.path.join(self.kit, "bin", "trainyard-agent"), "exec"]

    def bench(self, name, case, more=(), limit=None, steps=30):
        model, length, micro, dropout = case
        limit = limit or (120 if model.startswith("gpt") else 60)  # drawing a billion weights takes long on few cores
        file = os.path.join(self.out, "bench-" + name.replace(" ", "-").replace(",", "").replace("/", "-") + ".json")
        command = [self.run, "bench_training", "--device", "cuda", "--model", model, "--compute", "bfloat16",
                   "--length", length, "--micro", micro, "--dropout", dropout, "--steps", steps, "--skip", 10,
                   "--no-checkpoint", "--json", file]
        if self.peak_tflops:
            command += ["--peak-tflops", self.peak_tflops]
        return Line(name, command + list(more), limit, json_file(file), self.environment())

    def peer(self, mode, case, limit):
        model, length, micro, dropout = case
        script = "gpt_gpu.py" if model.startswith("gpt") else "bert_gpu.py"
        name = "PyTorch %s, %s" % (mode, case_name(case))
        file = os.path.join(self.out, "peer-" + name.replace(" ", "-").replace(",", "") + ".json")
        command = [sys.executable, os.path.join(self.kit, "peers", script), "--mode", mode, "--model", model,
                   "--length", length, "--micro", micro, "--dropout", dropout, "--json", file]
        if self.peak_tflops:
            command += ["--peak-tflops", self.peak_tflops]
        return Line(name, command, limit, json_file(file), self.environment())

    def worker(self, command):
        folder = os.path.join(self.out, "worker-" + command)
        return [sys.executable, os.path.join(self.kit, "worker_run.py"), command, self.kit, folder]

    def script(self, name, file, limit, *arguments):
        return Line(name, [sys.executable, os.path.join(self.kit, file)] + list(arguments), limit, None, self.environment())


def case_name(case):
    model, length, micro, dropout = case
    return "%s, %d tokens, micro %d, dropout %s" % (model, length, micro, dropout)


def text_of(output, _folder):
    return {"text": output.splitlines()[1:60]}


def right(day):
    """1: does it start, and is it right, on one rank."""
    return [
        Line("nvidia-smi", ["nvidia-smi"], 20, text_of, may_skip=MISSING),
        Line("NVLink and topology", ["nvidia-smi", "topo", "-m"], 20, text_of, may_skip=MISSING),
        day.check(["open"], 60),
        day.check(["kernels"], 90),
        day.check(["collectives"], 60),
        day.check(["training"], 150),
        day.check(["memory"], 90),
        Line("worker: a run, stopped and resumed on the processor",
             day.worker("train"), 90, None, day.environment()),
        day.script("ceilings of the device", "peers/ceilings.py", 60, "--json", os.path.join(day.out, "ceilings.json")),
        day.check(["sanitizers"], 300),
    ]


def several(day):
    """2: several ranks on one GPU, which NCCL takes for ranks of several hosts."""
    layouts = [day.check(["training", "--layout", name] + (["--resume"] if name in ("tp2", "zero3") else []), 60, ranks)
               for name, ranks in day.layouts]
    return [day.check(["collectives"], 90, 2), day.check(["collectives"], 120, 4)] + layouts + [day.check(["faults"], 300)]


def speed(day):
    """3: speed, beside PyTorch with the same model and rows."""
    ours = [day.bench(case_name(case), case) for case in BERT_CASES + GPT_CASES]
    variants = [day.bench("bert-large, " + name, ("bert-large", 128, 64, 0.1), more) for name, more in VARIANTS]
    peers = [day.peer(mode, case, 90 if mode == "compiled" else 45) for mode in ("eager", "sdpa", "compiled")
             for case in PEER_CASES]
    # What is compared first, so that it is there when time runs out.
    compared = [line for line in ours if line.name in [case_name(case) for case in PEER_CASES]]
    return compared + peers + [line for line in ours if line not in compared] + variants


def where(day):
    """4: where the time goes: traces, counters of our kernels, probes for the planner."""
    def trace(case):
        file = os.path.join(day.out, "trace-%s-%d.json" % case[:2])
        return day.bench("trace, " + case_name(case), case, ["--profile", file], 90, 17)

    steps = [day.run, "bench_training", "--device", "cuda", "--model", "bert-large", "--compute", "bfloat16",
             "--micro", "32", "--dropout", "0.1", "--optimizer", "lamb", "--steps", "3", "--skip", "1", "--no-checkpoint"]
    ncu = ["ncu", "--target-processes", "all", "--clock-control", "none", "--set", "basic", "--launch-skip", "200",
           "--launch-count", "40", "-k", "regex:adamW|Lamb|squares|fillMasks", "--csv"] + steps
    return [trace(case) for case in PEER_CASES] + [
        Line("ncu: our kernels", ncu, 150, text_of, day.environment(), MISSING),
        Line("probes for the planner", day.worker("probe"), 90, text_of, day.environment()),
    ]


# Number: (what it is, its lines, seconds).
PARTS = {
    1: ("right", right, 560),
    2: ("several ranks on one GPU", several, 570),
    3: ("speed", speed, 570),
    4: ("where the time goes", where, 480),
}
