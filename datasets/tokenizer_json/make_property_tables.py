#!/usr/bin/env python3
"""Writes what Hugging Face tokenizers 0.23 knows of every code point (property_tables.h) as C++.

Usage: make_property_tables.py > property_tables.cpp      (needs Python 3.11 and pip install tokenizers==0.23.3)

All of it is asked of the package: its regular expressions, its normal forms and its pre-tokenizers each have the tables of
another Unicode version, and none has that of Python or of a library of Debian. Python's database only names the candidates
of combining classes.
"""
import textwrap
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

CODES = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
TEXT = "".join(map(chr, CODES))
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # computed in normal_forms.cpp
CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn").split()
SCRIPTS = ("Han Hiragana Katakana Hangul").split()
NORMAL_FORMS = {name: getattr(normalizers, name)() for name in ("NFC", "NFD", "NFKD")}


def normal(form, text):
    return NORMAL_FORMS[form].normalize_str(text)


def matching(pattern):
    """The code points that a regular expression matches."""
    pieces = pre_tokenizers.Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(TEXT)
    return {code for _, (begin, end) in pieces for code in CODES[begin:end]}


def alone(pre_tokenizer):
    """The code points that a pre-tokenizer separates from a letter."""
    pieces = pre_tokenizer.pre_tokenize_str("".join("a" + c for c in TEXT))
    return {ord(text) for text, _ in pieces if len(text) == 1 and text != "a"}


def joined(pre_tokenizer):
    """The code points that a pre-tokenizer leaves with a letter before them."""
    pieces = pre_tokenizer.pre_tokenize_str(" ".join("a" + c for c in TEXT))
    return {ord(text[1]) for text, _ in pieces if len(text) == 2 and text[0] == "a"}


def properties():
    found = {name: matching(r"\p{%s}" % name) for name in CATEGORIES + SCRIPTS}
    found |= {"Space": matching(r"\s"), "Word": matching(r"\w")}
    strip = normalizers.StripAccents()
    found |= {"RustWord": joined(pre_tokenizers.Whitespace()), "RustNumeric": alone(pre_tokenizers.Digits(True)),
              "RustPunctuation": alone(pre_tokenizers.Punctuation()) - {ord("a")},
              "CombiningMark": {code for code in CODES if strip.normalize_str("a" + chr(code)) == "a"}}
    bert = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    found["BertMark"] = {code for code in CODES if bert.normalize_str("a" + chr(code)) == "a"}
    assert found["Space"] == {code for code in CODES if not pre_tokenizers.WhitespaceSplit().pre_tokenize_str(chr(code))}
    return found


def decompositions():
    """What code points decompose to, canonically, and for compatibility where that differs."""
    others = [code for code in CODES if code not in HANGUL_SYLLABLES]
    canonical = {code: normal("NFD", chr(code)) for code in others}
    compatible = {code: normal("NFKD", chr(code)) for code in others}
    return ({code: text for code, text in canonical.items() if text != chr(code)},
            {code: text for code, text in compatible.items() if text != canonical[code]})


def combining_classes():
    """Marks that the package sorts, by their class: it sorts them before U+0345, whose class is the highest."""
    highest, classes = "\u0345", {}
    for code in CODES:
        number = unicodedata.combining(chr(code))
        sorts = normal("NFD", "a" + highest + chr(code)) == "a" + chr(code) + highest
        if number and (sorts or chr(code) == highest):
            classes.setdefault(number, []).append(code)
    return classes


def lower_case():
    lower = normalizers.Lowercase()
    results = {code: lower.normalize_str(chr(code)) for code in CODES}
    return {code: text for code, text in results.items() if text != chr(code)}


def range_words(codes):
    """As codePoints() reads them: "9 41-5A"."""
    ranges = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ["%X" % first if first == last else "%X-%X" % (first, last) for first, last in ranges]


def mapping_words(mapping):
    """The results of consecutive code points behind the first of them: "C0: 41.300 41.301"."""
    words, follows = [], None
    for code, text in sorted(mapping.items()):
        words += ["%X:" % code] if code != follows else []
        words.append(".".join("%X" % ord(c) for c in text))
        follows = code + 1
    return words


def literal(words, indent):
    lines = textwrap.wrap(" ".join(words), 112 - len(indent), break_on_hyphens=False)
    return "\n".join('%s"%s "' % (indent, line) for line in lines)


def main():
    canonical, compatible = decompositions()
    excluded = [code for code, text in canonical.items() if normal("NFC", text) != chr(code)]
    print("// Generated by make_property_tables.py; do not edit.\n// clang-format off")
    print('#include "datasets/tokenizer_json/property_tables.h"\n\nnamespace trainyard {\n')
    print("std::span<const PropertyTable> propertyTables()\n{\n    static constexpr PropertyTable kTables[] = {")
    for name, codes in properties().items():
        print('        {"%s",\n%s},' % (name, literal(range_words(codes), " " * 9)))
    print("    };\n    return kTables;\n}\n")
    print("const NormalFormTables& normalFormTables()\n{\n    static constexpr CombiningClassTable kClasses[] = {")
    for number, codes in sorted(combining_classes().items()):
        print("        {%d,\n%s}," % (number, literal(range_words(codes), " " * 9)))
    print("    };\n    static constexpr NormalFormTables kTables{\n        kClasses,")
    print(",\n".join(literal(words, " " * 8) for words in (mapping_words(canonical), range_words(excluded),
                                                        mapping_words(compatible), mapping_words(lower_case()))) + "};")
    print("    return kTables;\n}\n\n} // namespace trainyard")


if __name__ == "__main__":
    main()
