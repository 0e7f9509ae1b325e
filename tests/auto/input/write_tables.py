#!/usr/bin/env python3
"""Writes the objects of JSON lines as tables, with pyarrow.

Usage: write_tables.py DOCUMENTS FOLDER FORM...     DOCUMENTS: JSON lines; each FORM becomes the file FOLDER/FORM
A form is a name in FORMS. "sample FOLDER" in the place of all this writes documents.jsonl, made up.
"""
import json
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def sample(folder):
    """Texts of all lengths, with and without ids and titles; some have none, one is in another script."""
    draw = random.Random(4)
    words = ["train", "the", "a", "of", "yard", "and", "rails", "Überfluss", "Москва", "in", "\"quoted\""]
    with open(folder + "/documents.jsonl", "w", encoding="utf-8") as out:
        for number in range(900):
            sentence = lambda: " ".join(draw.choices(words, k=draw.randint(3, 18))).capitalize() + "."
            text = "\n".join(" ".join(sentence() for _ in range(draw.randint(1, 9))) for _ in range(draw.randint(1, 6)))
            if number == 450:
                text = " ".join(sentence() for _ in range(6000))  # longer than a piece
            document = {"text": [None, " \n"][number % 2] if number % 29 == 5 else text,
                        "id": [str(number + 1000), f"name-{number}", None][number % 3],
                        "title": None if number % 7 == 2 else f"Title {number}", "rank": number}
            out.write(json.dumps(document, ensure_ascii=False) + "\n")


def table(documents):
    return pa.table({"rank": pa.array([d["rank"] for d in documents], pa.int64()),
                     "id": pa.array([d["id"] for d in documents], pa.string()),
                     "text": pa.array([d["text"] for d in documents], pa.string()),
                     "title": pa.array([d["title"] for d in documents], pa.string()),
                     "tags": pa.array([["a"] for _ in documents], pa.list_(pa.string()))})


def with_texts(documents, change):
    whole = table(documents)
    for name in ("id", "text", "title"):
        whole = whole.set_column(whole.schema.get_field_index(name), name, change(whole[name]))
    return whole


def parquet(documents, path, **options):
    pq.write_table(table(documents), path, **{"row_group_size": 37, **options})


def arrow(documents, path, change=lambda column: column, stream=False, rows=41, compression=None):
    whole = with_texts(documents, change)
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(path, whole.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        for batch in whole.to_batches(max_chunksize=rows):
            writer.write_batch(batch)


def named(documents, path, name):
    whole = table(documents)
    pq.write_table(whole.rename_columns([name if column == "text" else column for column in whole.column_names]), path)


def numbers(documents, path, kind):
    """Ids that are numbers; -1 is none."""
    ids = pa.array([int(d["id"]) if (d["id"] or "").isdigit() else -1 for d in documents], kind)
    whole = table(documents)
    pq.write_table(whole.set_column(1, "id", ids), path, row_group_size=50)


def broken(documents, path, kind):
    """Bytes that are no UTF-8."""
    texts = pa.array([None if d["text"] is None else d["text"].replace("yard", "y\udcffrd").encode(errors="surrogateescape")
                      for d in documents], pa.binary())
    whole = table(documents).set_column(2, "text", texts)
    if kind == "parquet":
        return pq.write_table(whole, path)
    with pa.ipc.new_stream(path, whole.schema) as writer:
        writer.write_table(whole)


FORMS = {
    "snappy.parquet": lambda d, p: parquet(d, p, compression="snappy"),
    "zstd.parquet": lambda d, p: parquet(d, p, compression="zstd"),
    "gzip.parquet": lambda d, p: parquet(d, p, compression="gzip"),
    "lz4.parquet": lambda d, p: parquet(d, p, compression="lz4"),
    "brotli.parquet": lambda d, p: parquet(d, p, compression="brotli"),
    "plain.parquet": lambda d, p: parquet(d, p, compression="none", use_dictionary=False),
    "one-group.parquet": lambda d, p: parquet(d, p, row_group_size=100000),
    "small-pages.parquet": lambda d, p: parquet(d, p, data_page_size=1000, write_batch_size=3, row_group_size=200),
    "pages-2.parquet": lambda d, p: parquet(d, p, data_page_version="2.0", version="2.6"),
    "delta.parquet": lambda d, p: parquet(d, p, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}),
    "checksums.parquet": lambda d, p: parquet(d, p, write_page_checksum=True, compression="none"),
    "large.parquet": lambda d, p: pq.write_table(with_texts(d, lambda c: c.cast(pa.large_string())), p),
    "dictionary.parquet": lambda d, p: pq.write_table(with_texts(d, lambda c: c.dictionary_encode()), p),
    "numbers-64.parquet": lambda d, p: numbers(d, p, pa.int64()),
    "numbers-32.parquet": lambda d, p: numbers(d, p, pa.int32()),
    "content.parquet": lambda d, p: named(d, p, "content"),
    "broken.parquet": lambda d, p: broken(d, p, "parquet"),
    "broken.arrow": lambda d, p: broken(d, p, "arrow"),
    "empty.parquet": lambda d, p: pq.write_table(table(d).slice(0, 0), p),
    "empty.arrow": lambda d, p: arrow([], p),
    "file.arrow": arrow,
    "stream.arrow": lambda d, p: arrow(d, p, stream=True),
    "one-batch.arrow": lambda d, p: arrow(d, p, rows=10**9),
    "zstd.arrow": lambda d, p: arrow(d, p, compression="zstd"),
    "lz4.arrow": lambda d, p: arrow(d, p, compression="lz4", stream=True),
    "dictionary.arrow": lambda d, p: arrow(d, p, lambda c: c.combine_chunks().dictionary_encode()),
    "large.arrow": lambda d, p: arrow(d, p, lambda c: c.cast(pa.large_string())),
    "view.arrow": lambda d, p: arrow(d, p, lambda c: c.cast(pa.string_view())),
    "view-stream.arrow": lambda d, p: arrow(d, p, lambda c: c.cast(pa.string_view()), stream=True),
}


def main():
    if sys.argv[1] == "sample":
        return sample(sys.argv[2])
    with open(sys.argv[1], encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    for form in sys.argv[3:]:
        FORMS[form](documents, f"{sys.argv[2]}/{form}")


main()
