#!/usr/bin/env python3
"""Writes the objects of JSON lines as tables, with pyarrow.

Usage: write_task_tables.py OBJECTS.jsonl TABLE FORM     FORM: parquet, arrow (a file) or stream (of Arrow)

Texts under "label", or in lists under "ner_tags", become numbers with names in the metadata, as Hugging Face's data sets have
them (ClassLabel); a duration, for which JSON has no word, stands beside all.
"""
import datetime
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def classes(rows, column):
    values = {tag for row in rows for tag in (row[column] if isinstance(row[column], list) else [row[column]])}
    return sorted(values, reverse=True)


def with_numbers(rows, column, features):
    names = classes(rows, column)
    for row in rows:
        value = row[column]
        row[column] = [names.index(tag) for tag in value] if isinstance(value, list) else names.index(value)
    label = {"names": names, "_type": "ClassLabel"}
    features[column] = {"feature": label, "_type": "List"} if column == "ner_tags" else label


def main():
    source, target, form = sys.argv[1:]
    with open(source, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    features = {}
    for column in ("label", "ner_tags"):
        if isinstance(rows[0].get(column), (str, list)):
            with_numbers(rows, column, features)
    for row in rows:
        row["took"] = datetime.timedelta(seconds=1)
    table = pa.Table.from_pylist(rows)
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    if form == "parquet":
        return pq.write_table(table, target, row_group_size=2)
    new = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
    with new(target, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


if __name__ == "__main__":
    main()
