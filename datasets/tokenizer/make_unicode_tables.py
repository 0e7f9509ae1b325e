#!/usr/bin/env python3
"""Writes the tables of one implementation of BERT's tokenizer (unicode_tables.h) as C++.

Usage: make_unicode_tables.py hf hf_unicode_tables.json > hugging_face_tables.cpp
       make_unicode_tables.py google-py                 > google_python_tables.cpp

hf: probed behaviour of Hugging Face tokenizers 0.23. The JSON lists, as hexadecimal code points, the ranges that
BertNormalizer removes, turns into a space or surrounds with spaces (CJK), the ranges that BertPreTokenizer splits at
(white space, punctuation), what strip_accents makes of a code point and what lowercase makes of it. The marks that its
NFD sorts are asked of the package tokenizers, which must be there.

google-py: the rules of Google's and NVIDIA's tokenization.py with the character database of this Python, which must
be that of Python 3.11 (Unicode 14).
"""
import json
import sys
import unicodedata

HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # computed in text_normalizer.cpp
SIGMA = "\u03a3"
FINAL_SIGMA = "\u03c2"


def hangul(code):
    """Every syllable decomposes by the arithmetic of the Unicode standard, chapter 3.12."""
    index = code - 0xAC00
    return "".join(map(chr, [0x1100 + index // 588, 0x1161 + index % 588 // 28]
                       + ([0x11A7 + index % 28] if index % 28 else [])))


def ranges_of(codes):
    ranges = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


def characters_where(condition):
    return ranges_of(code for code in range(0x110000) if condition(chr(code)))


def combining_marks(folded, sorts):
    """What concerns the order of marks (Unicode standard, section 3.11): the classes of those that folding keeps, and
    the code points that it removes but that marks do not move past. sorts(c): the implementation knows c's class."""
    classes = {code: unicodedata.combining(chr(code)) for code in range(0x110000) if sorts(chr(code))}
    results = set("".join(folded.values()))
    kept = {code: number for code, number in classes.items() if code not in folded or chr(code) in results}
    stops = [code for code, text in sorted(folded.items()) if not text
             and any(ord(c) not in classes for c in unicodedata.normalize("NFD", chr(code)))]
    return {"marks": kept, "removedStarters": ranges_of(stops)}


def hugging_face_sorts():
    from tokenizers import normalizers

    nfd, highest = normalizers.NFD(), "\u0345"
    known = lambda c: c == highest or nfd.normalize_str("a" + highest + c) == "a" + c + highest
    return lambda c: unicodedata.combining(c) and known(c)


def hugging_face(file):
    probed = json.load(open(file, encoding="utf-8"))
    ranges = lambda name: [[int(first, 16), int(last, 16)] for first, last in probed[name]]
    lower = {int(code, 16): text for code, text in probed["lower_map"].items()}
    stripped = {int(code, 16): text for code, text in probed["strip_map"].items()}
    assert all(stripped[code] == hangul(code) for code in HANGUL_SYLLABLES)
    folded = lower | {code: "".join(lower.get(ord(c), c) for c in text) for code, text in stripped.items()}
    return {"profile": "hf-0.23", "removed": ranges("removed"), "toSpace": ranges("tospace"),
            "whiteSpace": ranges("ws"), "ideographs": ranges("chinese"), "punctuation": ranges("punct"),
            "folded": folded, **combining_marks(folded, hugging_face_sorts()), "cased": [], "caseIgnorable": []}


def is_control(c):
    return c not in "\t\n\r" and unicodedata.category(c).startswith("C")


def is_punctuation(c):
    ascii_symbol = 33 <= ord(c) <= 126 and not c.isalnum()
    return ascii_symbol or unicodedata.category(c).startswith("P")


def fold(c):
    return "".join(x for x in unicodedata.normalize("NFD", c.lower()) if unicodedata.category(x) != "Mn")


def makes_sigma_final(before):
    return (before + SIGMA).lower().endswith(FINAL_SIGMA)


def google_python():
    assert unicodedata.unidata_version == "14.0.0", "run this with Python 3.11"
    ideographs = [[0x3400, 0x4DBF], [0x4E00, 0x9FFF], [0xF900, 0xFAFF], [0x20000, 0x2A6DF], [0x2A700, 0x2B73F],
                  [0x2B740, 0x2B81F], [0x2B820, 0x2CEAF], [0x2F800, 0x2FA1F]]
    folded = {code: fold(chr(code)) for code in range(0x110000) if fold(chr(code)) != chr(code)}
    assert all(folded[code] == hangul(code) for code in HANGUL_SYLLABLES)
    return {"profile": "google-py",
            "removed": characters_where(lambda c: c in "\0\ufffd" or is_control(c)),
            "toSpace": characters_where(lambda c: c in " \t\n\r" or unicodedata.category(c) == "Zs"),
            "whiteSpace": characters_where(str.isspace),
            "ideographs": ideographs,
            "punctuation": characters_where(is_punctuation),
            "folded": folded,
            **combining_marks(folded, unicodedata.combining),
            # A character that is both counts as ignorable: str.lower() looks past it.
            "cased": characters_where(makes_sigma_final),
            "caseIgnorable": characters_where(lambda c: makes_sigma_final("A" + c) and not makes_sigma_final(c))}


def range_rows(ranges):
    return "\n".join("    {0x%04X, 0x%04X}," % (first, last) for first, last in ranges)


def class_rows(classes):
    return "\n".join("    {0x%04X, %d}," % mark for mark in sorted(classes.items()))


def mapping_rows(mappings):
    quoted = lambda text: '"%s"' % "".join("\\x%02x" % byte for byte in text.encode("utf-8"))
    return "\n".join("    {0x%04X, %s}," % (code, quoted(text)) for code, text in sorted(mappings.items())
                     if code not in HANGUL_SYLLABLES)


def main():
    name = sys.argv[1]
    tables = {"hf": lambda: hugging_face(sys.argv[2]), "google-py": google_python}[name]()
    function = {"hf": "huggingFaceTables", "google-py": "googlePythonTables"}[name]
    print("// Generated by make_unicode_tables.py; do not edit.\n// clang-format off")
    print('#include "datasets/tokenizer/unicode_tables.h"\n\nnamespace trainyard {\n\nnamespace {\n')
    members = []
    for member, value in tables.items():
        if member == "profile":
            continue
        if not value:
            members.append("{}")
            continue
        constant = "k" + member[0].upper() + member[1:]
        kind, rows = {"folded": ("CodePointMapping", mapping_rows), "marks": ("CombiningMark", class_rows)}.get(
            member, ("CodePointRange", range_rows))
        print("constexpr %s %s[] = {\n%s\n};\n" % (kind, constant, rows(value)))
        members.append(constant)
    print("} // namespace\n\nconst UnicodeTables& %s()\n{" % function)
    print('    static constexpr UnicodeTables tables{"%s", %s};' % (tables["profile"], ", ".join(members)))
    print("    return tables;\n}\n\n} // namespace trainyard")


if __name__ == "__main__":
    main()
