#!/usr/bin/env python3
"""Lists every text that users of the window, the commands, the agent, the worker or the preparation can see.

    user_texts.py ROOT           prints FILE:LINE<tab>TEXT, to be read from top to bottom
    user_texts.py ROOT --check   prints texts with wording that no engineer of the field would use, and what to say
                                 instead; exit status 1 if there are any

A text is a string literal, with adjacent literals joined, that is given to a translating function or has two words.
"""
import pathlib
import re
import sys

FOLDERS = ("app", "engine", "remote", "datasets")
TRANSLATING = re.compile(r"\b(tr|words|translate)\s*\(\s*(\"[^\"]*\"\s*,\s*)?$")
NOT_SHOWN = re.compile(r"^\s*(select|insert|create|update|delete|pragma|alter|drop|with|begin|commit)\s", re.IGNORECASE)
TWO_WORDS = re.compile(r"[A-Za-z][A-Za-z'’-]* [A-Za-z(]|[a-z]+[,:;] [a-z%]")

# What to say instead, and what must not be said.
WORDING = [
    (r"\b(by|as|every|at most) so many\b|\bso many (of|tokens|steps|rows)\b", "a number, 'every N steps', 'up to N'"),
    (r"\banew\b", "again, rebuilt"),
    (r"\bof (its|their) own accord\b", "by itself"),
    (r"\b(goes|go|went|gone) on (with|without|from|behind|where|there)\b", "continues, resumes"),
    (r"\bwhom\b", "who"),
    (r"\b(stands|stand|lies|lie) (beside|there|in the way|behind|below|above|under)\b", "is"),
    (r"\b(that|there|which) (is|are) none\b", "there is no ..."),
    (r"\bnot any more\b|\bno \w+ any more\b", "no longer"),
    (r"\bmade anew\b|\bbegun anew\b", "rebuilt, restarted"),
    (r"^Of (all|the|SGD|its|each|every)\b", "begin with what it is, not with 'Of'"),
    (r"\bas good as\b", "nearly"),
    (r"\bthis desk\b|\bthe desk\b|\byour desk\b", "this computer, Trainyard"),
]

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<include>^[ \t]*\#[ \t]*(?:include|pragma|error)[^\n]*)"""
    r"""|(?P<raw>R"(?P<mark>\w*)\((?P<rawtext>.*?)\)(?P=mark)")|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<char>'(?:[^'\\\n]|\\.)')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def literals(source):
    """Yields (offset, text, code before it), with adjacent literals as one."""
    joined, start, end = None, 0, 0
    for token in TOKEN.finditer(source):
        if token["text"] is None and token["raw"] is None:
            continue
        piece = token["rawtext"] if token["raw"] is not None else token["text"][1:-1]
        if joined is not None and not source[end:token.start()].strip():
            joined += piece
        else:
            if joined is not None:
                yield start, joined, source[max(0, start - 80):start]
            joined, start = piece, token.start()
        end = token.end()
    if joined is not None:
        yield start, joined, source[max(0, start - 80):start]


def is_shown(text, before):
    if NOT_SHOWN.match(text) or "TRAINYARD_CHECK" in before.splitlines()[-1:]:
        return False
    return bool(TRANSLATING.search(before)) or bool(TWO_WORDS.search(text))


def user_texts(root):
    """Yields (file, line, text) for the product's sources."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".cu"):
                continue
            source = path.read_text(encoding="utf-8")
            for offset, text, before in literals(source):
                if is_shown(text, before):
                    yield path.relative_to(root), source.count("\n", 0, offset) + 1, text


def main():
    root = pathlib.Path(sys.argv[1])
    if "--check" not in sys.argv[2:]:
        for file, line, text in user_texts(root):
            print(f"{file}:{line}\t{text}")
        return 0
    texts = list(user_texts(root))
    complaints = [
        f"{file}:{line}: \"{text}\": say {instead}"
        for file, line, text in texts
        for pattern, instead in WORDING
        if re.search(pattern, text)
    ]
    print("\n".join([*complaints, f"{len(texts)} texts, {len(complaints)} to be reworded"]))
    return 1 if complaints or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
