"""Runs the lines of a part one after the other, each under a limit of its own and all under that of the part."""
import json
import os
import signal
import subprocess
import time

ENOUGH = 10  # seconds that a line needs at least, to be begun


class Line:
    """A command of a part.

    figures: reads what the command left, given its output and the folder for files; a dictionary, or None.
    may_skip: exit statuses that mean that the machine lacks something.
    """

    def __init__(self, name, command, limit, figures=None, environment=None, may_skip=()):
        self.name = name
        self.command = [str(word) for word in command]
        self.limit = limit
        self.figures = figures
        self.environment = environment or {}
        self.may_skip = may_skip


def end_group(process):
    """The command with all that it started: mpirun's ranks are in its group."""
    for sign, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            pass
        try:
            process.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue


def run_command(command, limit, environment, log):
    """(status, output); the status is "timed out" or "missing" where there is none. The output begins with the command."""
    with open(log, "w+b") as output:
        output.write(("$ " + " ".join(command) + "\n").encode())
        output.flush()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       env=dict(os.environ, **environment), start_new_session=True)
        except OSError as problem:
            return "missing", "\n" + str(problem)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            end_group(process)
            status = "timed out"
        output.seek(0)
        return status, output.read().decode(errors="replace")


def outcome_of(line, status):
    if status == 0:
        return "ok"
    if status in line.may_skip:
        return "skipped"
    return "timed out" if status == "timed out" else "failed"


def last_words(output):
    """What a failure is best told by: the lines of checks that failed, else the last lines."""
    lines = [text for text in output.splitlines()[1:] if text.strip()]
    told = [text for text in lines if text.startswith(("FAIL", "SKIP"))]
    return (told or lines[-3:])[:20]


def read_figures(line, output, folder):
    if line.figures is None:
        return None
    try:
        return line.figures(output, folder)
    except (OSError, ValueError, KeyError, IndexError) as problem:
        return {"unreadable": str(problem)}


def run_line(line, number, limit, folder):
    log = os.path.join(folder, "%02d.log" % number)
    began = time.monotonic()
    status, output = run_command(line.command, limit, line.environment, log)
    outcome = outcome_of(line, status)
    return {
        "name": line.name,
        "command": " ".join(line.command),
        "outcome": outcome,
        "status": status,
        "seconds": round(time.monotonic() - began, 1),
        "figures": read_figures(line, output, folder),
        "text": [] if outcome == "ok" else last_words(output),
    }


def run_part(lines, limit, folder, say):
    """Results of all lines; those for which no time is left are skipped."""
    end = time.monotonic() + limit
    results = []
    for number, line in enumerate(lines, 1):
        left = end - time.monotonic()
        if left < ENOUGH:
            results.append({"name": line.name, "command": " ".join(line.command), "outcome": "no time left", "status": None,
                            "seconds": 0, "figures": None, "text": []})
        else:
            results.append(run_line(line, number, min(line.limit, left), folder))
        say("%-12s %6.1f s  %s" % (results[-1]["outcome"], results[-1]["seconds"], line.name))
        for text in results[-1]["text"]:
            say("    " + text)
    return results


def json_file(path):
    """Figures of a line that writes one JSON file."""

    def read(_output, _folder):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    return read
