#!/usr/bin/env python3
"""Writes the tables of one implementation of BERT's tokenizer (unicode_tables.h) as C++.

Usage: make_unicode_tables.py hf hf_unicode_tables.json > hugging_face_tables.cpp
       make_unicode_tables.py google-py                 > google_python_tables.cpp

Needs Python 3.11, whose character database (Unicode 14) is the one of the table google-py.

google-py: the rules of Google's and NVIDIA's tokenization.py with that database.

hf: probed behaviour of Hugging Face tokenizers 0.23. The JSON lists, as hexadecimal code points, the ranges that
BertNormalizer removes, turns into a space or surrounds with spaces (CJK), the ranges that BertPreTokenizer splits at
(white space, punctuation), the results of strip_accents and of lowercase for each code point. The marks that its NFD
sorts are asked of the package tokenizers (pip install tokenizers==0.23.3). Its folding is written as changes of that of
google-py.
"""
import json
import sys
import textwrap
import unicodedata

HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # computed in text_normalizer.cpp


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
            "folded": folded, **combining_marks(folded, hugging_face_sorts())}


def is_control(c):
    return c not in "\t\n\r" and unicodedata.category(c).startswith("C")


def is_punctuation(c):
    ascii_symbol = 33 <= ord(c) <= 126 and not c.isalnum()
    return ascii_symbol or unicodedata.category(c).startswith("P")


def fold(c):
    return "".join(x for x in unicodedata.normalize("NFD", c.lower()) if unicodedata.category(x) != "Mn")


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
            **combining_marks(folded, unicodedata.combining)}


def packed(entries):
    """Rows of as many entries as fit into 110 columns."""
    lines = [""]
    for entry in entries:
        if lines[-1] and len(lines[-1]) + len(entry) > 106:
            lines.append("")
        lines[-1] += entry + " "
    return "\n".join("    " + line.rstrip() for line in lines)


def lines_of(words):
    """String literals of as many words as fit into 110 columns."""
    return "\n".join('    "%s "' % line for line in textwrap.wrap(" ".join(words), 102, break_on_hyphens=False))


def range_words(ranges):
    """As codePoints() reads them: "9 41-5A"."""
    return ["%X" % first if first == last else "%X-%X" % (first, last) for first, last in ranges]


def pair_words(pairs):
    """The results of consecutive code points behind the first of them: "C0: 61 61 61"."""
    words, follows = [], None
    for code, text in pairs:
        words += (["%X:" % code] if code != follows else []) + ["%X" % ord(text)]
        follows = code + 1
    return words


def class_rows(classes):
    return packed("{0x%04X, %d}," % mark for mark in sorted(classes.items()))


def text_rows(texts):
    return packed('{0x%04X, U"%s"},' % (code, "".join("\\U%08X" % ord(c) for c in text)) for code, text in texts)


def folding_members(folded, base):
    """The changes that make `folded` of `base`, split by the number of code points in the result."""
    folded, base = ({code: text for code, text in mapping.items() if code not in HANGUL_SYLLABLES}
                    for mapping in (folded, base))
    changes = sorted((code, text) for code, text in folded.items() if base.get(code) != text)
    return {"unfolded": ranges_of(sorted(base.keys() - folded.keys())),
            "foldedAway": ranges_of(code for code, text in changes if not text),
            "foldedToOne": [change for change in changes if len(change[1]) == 1],
            "foldedToMany": [change for change in changes if len(change[1]) > 1]}


ROWS = {"foldedToMany": ("FoldedToMany", text_rows), "marks": ("CombiningMark", class_rows)}


def print_members(members):
    """Prints a constant for each table and returns their names, "{}" for those that are empty."""
    names = []
    for member, value in members.items():
        names.append("k" + member[0].upper() + member[1:] if value else "{}")
        if value and member in ROWS:
            kind, rows = ROWS[member]
            print("constexpr %s %s[] = {\n%s\n};\n" % (kind, names[-1], rows(value)))
        elif value:
            words = pair_words(value) if member == "foldedToOne" else range_words(value)
            print("constexpr std::string_view %s =\n%s;\n" % (names[-1], lines_of(words)))
    return ", ".join(names)


def main():
    name = sys.argv[1]
    google = google_python()
    tables = google if name == "google-py" else hugging_face(sys.argv[2])
    function, base = {"hf": ("huggingFaceTables", "&googlePythonTables().folding"),
                      "google-py": ("googlePythonTables", "nullptr")}[name]
    profile, folded = tables.pop("profile"), tables.pop("folded")
    print("// Generated by make_unicode_tables.py; do not edit.\n// clang-format off")
    print('#include "datasets/tokenizer/unicode_tables.h"\n\nnamespace trainyard {\n\nnamespace {\n')
    folding = print_members(folding_members(folded, {} if tables is google else google["folded"]))
    members = print_members(tables)
    print("} // namespace\n\nconst UnicodeTables& %s()\n{" % function)
    print('    static const UnicodeTables tables{\n        "%s", {%s, %s},\n        %s, %s};'
          % (profile, base, folding, members, "true" if tables is google else "false"))
    print("    return tables;\n}\n\n} // namespace trainyard")


if __name__ == "__main__":
    main()
