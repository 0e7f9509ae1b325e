#!/usr/bin/env python3
"""Writes beside itself runs of other tools: what tst_run_sources reads.

    pip install mlflow-skinny==3.1.4 tensorboardX==2.6.5 && python3 make_golden.py

mlflow/     a file store with two runs, written by MLflow
hparams/    an event file with hyperparameters, written by tensorboardX
wandb/      a run's folder as W&B 0.12 left it, written by hand after its format
"""
import json
import pathlib
import shutil

HERE = pathlib.Path(__file__).parent
START = 1_790_000_000_000  # milliseconds


def write_mlflow():
    from mlflow import MlflowClient
    store = HERE / "mlflow"
    shutil.rmtree(store, ignore_errors=True)
    client = MlflowClient(tracking_uri=store.as_uri())
    experiment = client.create_experiment("bert", artifact_location="artifacts")
    for number, name in enumerate(("first", "second")):
        run = client.create_run(experiment, start_time=START, run_name=name, tags={"team": "blue"})
        client.log_param(run.info.run_id, "learning_rate", 3e-4)
        client.log_param(run.info.run_id, "model/size", "base")
        for step in range(0, 40, 2):
            client.log_metric(run.info.run_id, "loss", 7 - step / 10 + number, timestamp=START + 1000 * step, step=step)
            client.log_metric(run.info.run_id, "val/perplexity", float("nan") if step == 8 else 100 - step,
                              timestamp=START + 1000 * step, step=step)
        client.set_terminated(run.info.run_id, end_time=START + 60_000)
        folder = next(store.glob(f"*/{run.info.run_id}"))
        folder.rename(folder.with_name(f"{number}" * 32))
    # Paths of the machine that wrote them, which nobody reads.
    for file in store.rglob("meta.yaml"):
        file.write_text("".join(line for line in file.read_text().splitlines(True) if "artifact" not in line))
    shutil.rmtree(store / "0", ignore_errors=True)


def write_hyperparameters():
    from tensorboardX import SummaryWriter
    folder = HERE / "hparams"
    shutil.rmtree(folder, ignore_errors=True)
    writer = SummaryWriter(str(folder))
    writer.add_hparams({"lr": 0.0003, "layers": 24, "optimizer": "lamb", "packed": True}, {"hparam/loss": 2.5}, name=".")
    writer.close()
    for file in folder.rglob("*tfevents*"):
        file.rename(folder / "events.out.tfevents.1790000000.0")


def write_wandb():
    files = HERE / "wandb" / "run-20260930_101500-abcd1234" / "files"
    shutil.rmtree(HERE / "wandb", ignore_errors=True)
    files.mkdir(parents=True)
    (files / "config.yaml").write_text("wandb_version: 1\n\n_wandb:\n  desc: null\n  value:\n    cli_version: 0.12.21\n"
                                       "learning_rate:\n  desc: null\n  value: 0.0003\n"
                                       "model:\n  desc: null\n  value:\n    hidden: 768\n")
    with open(files / "wandb-history.jsonl", "w") as out:
        for step in range(20):
            line = {"train/loss": 7 - step / 10, "val": {"loss": 6.5}, "_step": step, "_timestamp": START / 1000 + step,
                    "_runtime": step}
            if step == 3:
                line["train/loss"] = "NaN"
            if step == 5:
                line["weights"] = {"_type": "histogram", "values": [1, 2], "bins": [0, 1, 2]}
                line["note"] = "warm"
            out.write(json.dumps(line) + "\n")
        out.write('{"train/loss": 1.0, "_st\n')


write_mlflow()
write_hyperparameters()
write_wandb()
