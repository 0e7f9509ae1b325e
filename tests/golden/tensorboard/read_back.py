#!/usr/bin/env python3
"""Prints what TensorBoard's own reader finds in event files, in the form of expected.json.

Usage: read_back.py FOLDER
"""
import json
import pathlib
import sys

from make_golden import read

logs = pathlib.Path(sys.argv[1])
folders = sorted({file.parent for file in logs.rglob("*tfevents*")})
print(json.dumps({str(folder.relative_to(logs)): read(folder) for folder in folders}))
