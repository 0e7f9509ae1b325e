#!/usr/bin/env python3
"""Writes logs/ and expected.json beside itself: event files of three writers, and what TensorBoard reads in them.

Usage: make_golden.py TORCH_FOLDER

Needs Python 3.11 and `pip install tensorboard==2.21.0 tensorboardX==2.6.5`. TORCH_FOLDER is the `torch` folder of a
PyTorch 2.11 wheel: its SummaryWriter is used as it is; of the rest of PyTorch it needs nothing but names.

expected.json has {run: {"scalars": {tag: [[step, wall time, value], ...]}, "texts": {tag: text}}}, as TensorBoard's
own EventAccumulator gives them; NaN and infinities are texts.
"""
import json
import math
import pathlib
import shutil
import sys
import types
from unittest import mock

HERE = pathlib.Path(__file__).parent
START = 1_790_000_000.25


def pytorch_writer(torch_folder):
    class Names(types.ModuleType):
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return mock.MagicMock(name=name)

    torch = Names("torch")
    torch.__path__ = [torch_folder]
    torch.Tensor = type("Tensor", (), {})
    torch.device = type("device", (), {})
    sys.modules["torch"] = torch
    utils = Names("torch.utils")
    utils.__path__ = [torch_folder + "/utils"]
    sys.modules["torch.utils"] = utils
    for name in ("torch._C", "torch._C._onnx", "torch.onnx", "torch.jit", "torch.nn", "torch._prims_common",
                 "torch.types",
                 "torch.utils.tensorboard._pytorch_graph", "torch.utils.tensorboard._onnx_graph"):
        sys.modules[name] = Names(name)
    from torch.utils.tensorboard import SummaryWriter
    return SummaryWriter


def write_pytorch(folder, writer_class):
    writer = writer_class(str(folder), filename_suffix=".first")
    for step in range(1, 41):
        loss = math.nan if step == 17 else math.inf if step == 18 else 10 / step
        writer.add_scalar("train/loss", loss, step, walltime=START + step)
        if step % 10 == 0:
            writer.add_scalar("train/lr", 1e-3 * step / 40, step, walltime=START + step)
        if step in (10, 20, 30):
            writer.add_scalar("eval/größe", step / 7, step, walltime=START + step, new_style=True)
    writer.add_text("notes", "A **note** with\nlines and umlauts: äöü", 1, walltime=START)
    writer.add_scalar("double", 0.1, 3, walltime=START + 3, double_precision=True)
    writer.close()
    # Goes on after a crash from step 31: what was written from there on is void.
    writer = writer_class(str(folder), purge_step=31, filename_suffix=".second")
    for step in range(31, 51):
        writer.add_scalar("train/loss", 5 / step, step, walltime=START + 100 + step)
    writer.close()


def write_tensorboard_x(folder):
    from tensorboardX import SummaryWriter
    writer = SummaryWriter(str(folder))
    for step in range(0, 30):
        writer.add_scalar("lm loss", 7 - step / 10, step, walltime=START + step)
        writer.add_scalar("learning-rate", 1e-4, step, walltime=START + step)
    writer.add_histogram("weights", [1.0, 2.0, 3.0], 5, walltime=START)
    writer.close()


def write_tensorboard(folder):
    """As TensorFlow 2's tf.summary.scalar: tensors of every type that holds a number."""
    import numpy as np
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.scalar import summary_v2
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    from tensorboard.util import tensor_util
    writer = EventFileWriter(str(folder))
    for step in range(1, 6):
        summary = summary_v2.scalar_pb("epoch_loss", 3 / step)
        writer.add_event(Event(wall_time=START + step, step=step, summary=summary))
        for kind in (np.float64, np.float16, np.int32, np.int64):
            summary = summary_v2.scalar_pb("of/" + kind.__name__, 1)
            summary.value[0].tensor.CopyFrom(tensor_util.make_tensor_proto(np.array(step * 3 + 0.5).astype(kind)))
            writer.add_event(Event(wall_time=START + step, step=step, summary=summary))
    writer.close()


def rename(logs):
    """Names without host, process and time of writing, in the same order."""
    for folder in {file.parent for file in logs.rglob("*tfevents*")}:
        for number, file in enumerate(sorted(folder.iterdir())):
            file.rename(folder / f"events.out.tfevents.{int(START)}.{number}")


def number(value):
    return value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0}).Reload()
    scalars = {tag: [[e.step, e.wall_time, number(e.value)] for e in events.Scalars(tag)]
               for tag in events.Tags()["scalars"]}
    texts = {}
    for tag in events.Tags()["tensors"]:
        plugin = events.SummaryMetadata(tag).plugin_data.plugin_name
        values = [(e.step, e.wall_time, tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]
        if plugin == "text":
            texts[tag] = values[-1][2].item().decode()
        else:
            scalars[tag] = [[step, wall, number(float(value.item()))] for step, wall, value in values]
    return {"scalars": scalars, "texts": texts}


def main(torch_folder):
    logs = HERE / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    write_pytorch(logs / "pytorch", pytorch_writer(torch_folder))
    write_tensorboard_x(logs / "sweep" / "tensorboardX")
    write_tensorboard(logs / "tensorboard")
    rename(logs)
    folders = sorted({file.parent for file in logs.rglob("*tfevents*")})
    expected = {str(folder.relative_to(logs)): read(folder) for folder in folders}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
