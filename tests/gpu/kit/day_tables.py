"""The results of a part as one Markdown text."""

# What the peers do, of what bench_training can do.
AS_PEERS = {"compute": "bfloat16", "optimizer": "adamw", "zero_stage": 0, "recompute": "none"}
OUTCOMES = ("ok", "failed", "timed out", "skipped", "no time left")


def row(cells):
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |"


def table(head, rows):
    return [row(head), row(["---"] * len(head))] + [row(cells) for cells in rows] + [""]


def lines_table(results):
    return table(["line", "outcome", "s"], [(r["name"], r["outcome"], r["seconds"]) for r in results])


def checks_of(result):
    figures = result["figures"]
    return figures if isinstance(figures, list) else []


def worst_checks(results):
    """Of each line with checks: how many passed, what failed, and the error nearest to its bound."""
    rows = []
    for result in results:
        checks = checks_of(result)
        if not checks:
            continue
        bounded = [c for c in checks if c["outcome"] == "pass" and c["bound"] > 0]
        nearest = max(bounded, key=lambda c: c["error"] / c["bound"], default=None)
        failed = [c["name"] + ": " + c["text"] for c in checks if c["outcome"] == "fail"]
        passed = sum(c["outcome"] == "pass" for c in checks)
        skipped = sum(c["outcome"] == "skip" for c in checks)
        rows.append((result["name"], passed, skipped, "; ".join(failed) or "–",
                     "%s: %.1e of %.0e" % (nearest["name"], nearest["error"], nearest["bound"]) if nearest else "–"))
    return table(["checks", "passed", "skipped", "failed", "nearest to its bound"], rows) if rows else []


def is_speed(result):
    return isinstance(result["figures"], dict) and "step_seconds" in result["figures"]


def percent(share):
    return "–" if share is None else "%.1f %%" % (100 * share)


def mebibytes(number):
    return "–" if not number else "%d" % (number / 2**20)


def speed_table(results):
    rows = []
    for result in filter(is_speed, results):
        figures = result["figures"]
        memory = figures.get("memory", {})
        rows.append((result["name"], "%.1f (%.1f)" % (figures["step_seconds"] * 1e3, figures["fastest_seconds"] * 1e3),
                     "%.0f" % figures["sequences_per_second"], "%.0f" % figures["tokens_per_second"],
                     "%.0f" % figures["tflops"], percent(figures["mfu"]), mebibytes(memory.get("tensors")),
                     mebibytes(memory.get("planned")), mebibytes(memory.get("allocated")),
                     mebibytes(memory.get("reserved"))))
    head = ["case", "ms/step, median (fastest)", "sequences/s", "tokens/s", "TFLOP/s", "MFU", "MiB: ledger", "planned",
            "allocated", "reserved"]
    return table(head, rows) if rows else []


def case_of(figures):
    return tuple(figures[key] for key in ("model", "length", "micro", "dropout"))


def peers_table(results):
    """Trainyard beside each mode of PyTorch at the same case: sequences per second, and the ratio to the best."""
    ours, peers = {}, {}
    for result in filter(is_speed, results):
        figures = result["figures"]
        if figures["program"] == "trainyard":
            if all(figures[key] == value for key, value in AS_PEERS.items()):
                ours[case_of(figures)] = figures["sequences_per_second"]
        else:
            peers.setdefault(case_of(figures), {})[figures["program"]] = figures["sequences_per_second"]
    programs = sorted({name for found in peers.values() for name in found})
    rows = []
    for case, found in sorted(peers.items()):
        mine = ours.get(case)
        best = max(found.values())
        rows.append(["%s, %d tokens, micro %d, dropout %s" % case, "–" if mine is None else "%.1f" % mine]
                    + ["%.1f" % found[name] if name in found else "–" for name in programs]
                    + ["–" if mine is None else "%.2f" % (mine / best)])
    return table(["sequences/s", "Trainyard"] + programs + ["Trainyard / best"], rows) if rows else []


def texts(results):
    parts = []
    for result in results:
        lines = result["text"]
        if isinstance(result["figures"], dict) and "text" in result["figures"]:
            lines = result["figures"]["text"] if result["outcome"] == "ok" else lines
        if lines:
            parts += ["**%s**" % result["name"], "", "```"] + lines + ["```", ""]
    return parts


def markdown(title, results):
    counts = ["%d %s" % (sum(r["outcome"] == o for r in results), o) for o in OUTCOMES
              if any(r["outcome"] == o for r in results)]
    return "\n".join(["# " + title, "", ", ".join(counts) + ".", ""] + speed_table(results) + peers_table(results)
                     + worst_checks(results) + lines_table(results) + texts(results))
