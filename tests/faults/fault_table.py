#!/usr/bin/env python3
"""Makes the table of faults of a test run: fault_table.py FOLDER TABLE.md

FOLDER holds one JSON file per injected fault, as FaultReport writes them. A fault of the list in faults.txt that no
test of this run injected is named at the end. The exit status is 1 when a fault was not injected by the test that
says so.
"""
import json
import pathlib
import sys

LIST = pathlib.Path(__file__).with_name("faults.txt")


def lines_in(folder):
    lines = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    return sorted(lines, key=lambda line: (line["number"], line["test"]))


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table_of(lines):
    yield "| # | fault | injected | expected | observed | result | s | test |"
    yield "|---|---|---|---|---|---|---|---|"
    for line in lines:
        cells = [line["number"], line["fault"], line["injected"], line["expected"], line["observed"],
                 line["result"], f"{line['seconds']:.1f}", f"`{line['test']}`"]
        yield "| " + " | ".join(cell(text) for text in cells) + " |"


def main(folder, table):
    listed = [text.split(" ", 1) for text in LIST.read_text().splitlines() if text and not text.startswith("#")]
    lines = lines_in(pathlib.Path(folder))
    injected = {line["number"] for line in lines if line["injected"]}
    left_out = [(number, name) for number, name in listed if int(number) not in injected]
    summary = f"{len(injected)} of {len(listed)} faults injected by {len(lines)} tests; "
    summary += f"{sum(line['result'] == 'passed' for line in lines)} tests passed"
    text = ["# Faults of this test run", "", summary + ".", "", *table_of(lines)]
    if left_out:
        text += ["", "Not injected in this run:", "", *(f"- {number} {name}" for number, name in left_out)]
    pathlib.Path(table).write_text("\n".join(text) + "\n")
    print(f"{summary}: {table}")
    return 1 if any(line["result"] == "not injected" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
