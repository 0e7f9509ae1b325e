#!/usr/bin/env python3
"""Writes histories of runs as Parquet: those of W&B, and in the layout of Neptune's exporter.

Usage: write_run_tables.py FOLDER
"""
import datetime
import decimal
import math
import sys

import pyarrow as pa
import pyarrow.parquet as pq

VALUES = {"step": pa.decimal128(18, 6), "timestamp": pa.timestamp("ms", tz="UTC"), "int_value": pa.int64(),
          "float_value": pa.float64(), "string_value": pa.string(), "bool_value": pa.bool_(),
          "file_value": pa.struct([("path", pa.string())])}
BEGIN = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)


def wandb(path):
    steps = range(5)
    pq.write_table(pa.table({"_step": pa.array(steps, pa.int64()), "_timestamp": [1.7e9 + step for step in steps],
                             "_runtime": [float(step) for step in steps], "train/loss": [4.0, 3.0, math.nan, 2.0, 1.5],
                             "eval/loss": [None, 3.5, None, None, 2.5], "note": ["a"] * 5}), path, row_group_size=2)


def attribute(run, path, kind, **values):
    row = dict.fromkeys(VALUES, None) | values
    return {"project_id": "team/project", "run_id": run, "attribute_path": path, "attribute_type": kind, **row}


def series(run, steps):
    for step in steps:
        yield attribute(run, "metrics/loss", "float_series", step=decimal.Decimal(step),
                        timestamp=BEGIN + datetime.timedelta(seconds=step), float_value=10.0 - step)


def neptune(path, rows):
    schema = pa.schema([(name, pa.string()) for name in ("project_id", "run_id", "attribute_path", "attribute_type")] +
                       list(VALUES.items()))
    pq.write_table(pa.Table.from_pylist(list(rows), schema), path)


def main():
    folder = sys.argv[1]
    wandb(f"{folder}/history.parquet")
    pq.write_table(pa.table({"_step": range(3000), "loss": [1.0] * 3000}), f"{folder}/long.parquet")
    neptune(f"{folder}/RUN-1_part_0.parquet", [
        attribute("RUN-1", "sys/name", "string", string_value="first"),
        attribute("RUN-1", "config/lr", "float", float_value=0.1), attribute("RUN-1", "config/layers", "int", int_value=12),
        attribute("RUN-1", "config/tied", "bool", bool_value=True),
        attribute("RUN-1", "model", "file", file_value={"path": "m.bin"}), *series("RUN-1", range(3))])
    neptune(f"{folder}/RUN-1_part_1.parquet", series("RUN-1", range(3, 5)))
    neptune(f"{folder}/both_part_0.parquet", [*series("RUN-2", [1]), *series("RUN-3", [1, 2])])


if __name__ == "__main__":
    main()
