#!/usr/bin/env python3
"""Writes vocab.txt and lines.jsonl beside itself: what two implementations of BERT's tokenizer make of odd texts.

Usage: make_golden.py TOKENIZATION_PY

Needs Python 3.11 and `pip install tokenizers==0.23.3`. TOKENIZATION_PY is the tokenization.py of NVIDIA's
DeepLearningExamples (PyTorch/LanguageModeling/BERT): Google's, but words of more than 100 characters are unknown, not
of more than 200.

Each line of lines.jsonl is {"text", "hf", "hf_cased", "google_py", "google_py_cased"}: ids without special tokens.
"""
import importlib.util
import json
import pathlib
import random
import sys
import types
import unicodedata

HERE = pathlib.Path(__file__).parent
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

EDGES = [
    "", "   ", "\t\n\r", "\0", "\ufffd", "\0\1\2abc\x1f", "Hello, world!", "HELLO WoRLD", "naïve café résumé Ångström",
    "e\u0301 vs é", "A\u030a", "İstanbul ISTANBUL ıstanbul", "Straße STRASSE ẞ", "ǅ Ǆ ǆ", "ﬁne ﬂow oﬃce", "½ ² ₂ ① Ⅷ ⅷ",
    "\u212a \u212b \u2126", "日本語のテスト", "中文测试English混合", "㐀㐁 𠀀𠀁 𪜀 𫝀 𫠠 𫤠 𬺡", "\U0002b820\U0002b91f\U0002b920\U0002ceaf\U0002ceb0",
    "豈更車", "한국어 문장입니다.", "각", "ไทยภาษา กำ", "हिन्दी क्ष", "العربية مُحَمَّد", "שָׁלוֹם עולם", "\u202eabc\u202c",
    "a\u200fb\u200ec a\u200bb a\u200cb\u200dc a\xadb", "\ufeffBOM", "x\u2060y", "x\u180ey", "x\u2028y\u2029z", "x\x85y",
    "x\x0by\x0cz", "x\x1cy\x1dz", "x\xa0y\u2007z\u202fw", "x\u1680y\u2000z\u3000w", "👍🏽 🇬🇧 👨\u200d👩\u200d👧 ❤️", "#hashtag @user",
    "U.S.A. e.g. Dr. Smith", "don't can’t I‘m", '"quoted" “quoted” «quoted» „quoted“', "a-b a–b a—b a−b",
    "100% $5 €6 £7 ¥8 ₹9", "^`~|<>=+_", "C++ C# .NET", "http://example.com/a?b=c#d", "3.14159 1,000,000 1e-5", "##ing ## #",
    "[ MASK ] [mask] [MASK] a[MASK]b [UNK] [CLS][SEP] [PAD]", "a" * 99, "a" * 100, "a" * 101, "é" * 100, "e\u0301" * 100,
    "中" * 150, "x" * 100 + "." + "y" * 101, "…—·", "¡Hola! ¿Qué?", "\u0378\u0379", "\u0898x", "\u061d", "\u2e52\u2e5d", "\ue000private",
    "\U000f0000", "🫠", "e\u20dd", "\u0345", "ẛ̣", "ŉ ſ µ μ ϴ", "ａｂｃ ＡＢＣ １２３ ！", "ｱｲｳ ア\u3099 \u309b 々〆〇", "\u3164\u115f\u2800",
    "¨ ´ ˆ ˜ \u0384 \u1fbd \u1ffe", "\u0340\u0341\u0344", "क़ ড় יִ", "\u2adc", "𝅗𝅥", "𝐀𝟎 𐐀𐐨 𑢠 𞤀", "Ⴀ Ა ა Ꭰ ꭰ ᏸ", "Ͱ Ͽ Ԥ Ԯ",
    "i\u0307 J\u030c ẖ", "ᾀ ᾈ ᾳ ᾼ ΐ ΰ", "և", "\u037e \u0387 \u1fef \u2260 \u226e",
    "ΟΔΟΣ ΣΑΣ Σ ΌΣΟΣ. ΟΔΟΣ' ΟΔΟ'Σ Σ'Σ aΣ aΣb aΣ.b ΑΣ1 1Σ ΑΣ中 中Σ ΑΣ\u0301 Α\u0301Σ ΑΣ\xadΒ ΑΣ\u2028Β ᾼΣ",
]


def random_lines(seed):
    draw = random.Random(seed)
    assigned = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    groups = [list("abcXYZ019"), assigned, [c for c in assigned if unicodedata.category(c)[0] in "MPZ"],
              [chr(c) for c in range(0x300, 0x600)], [chr(c) for c in range(0x20, 0x250)],
              [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Cn", "Co")]]
    word = lambda alphabet, most: "".join(draw.choice(alphabet) for _ in range(draw.randint(1, most)))
    for _ in range(200):
        yield "".join(word(draw.choice(groups), 3) for _ in range(4))
    for _ in range(60):
        yield word("ΑΒΣΣΣaB1'.- \u00ad\u0301\u02b0中", 12)


def load_google(path):
    sys.modules["file_utils"] = types.SimpleNamespace(cached_path=None)
    sys.modules.setdefault("six", types.SimpleNamespace(PY2=False, PY3=True))
    spec = importlib.util.spec_from_file_location("tokenization", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hugging_face(lowercase):
    from tokenizers import Tokenizer, __version__, models, normalizers, pre_tokenizers
    assert __version__ == "0.23.3"
    tokenizer = Tokenizer(models.WordPiece({}, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def make_vocabulary(words):
    """Characters and some longer pieces of the words; one character in twenty is left out."""
    draw = random.Random(1)
    known = [c for c in sorted({c for word in words for c in word}) if draw.random() < 0.95]
    longer = {piece for word in sorted(words) if draw.random() < 0.3 for piece in (word[:2], "##" + word[1:3], word[:3])}
    pieces = [*known, *("##" + c for c in known), *sorted(longer)]
    return SPECIAL + [piece for piece in dict.fromkeys(pieces) if piece not in SPECIAL and piece != "##"]


def main():
    google = load_google(sys.argv[1])
    lines = EDGES + list(random_lines(7))
    hf = {lower: hugging_face(lower) for lower in (True, False)}
    words = set()
    for text in lines:
        for lower in (True, False):
            words.update(google.BasicTokenizer(do_lower_case=lower, never_split=()).tokenize(text))
            words.update(w for w, _ in hf[lower].pre_tokenizer.pre_tokenize_str(hf[lower].normalizer.normalize_str(text)))
    vocabulary = make_vocabulary(words)
    (HERE / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")

    from tokenizers import models
    for tokenizer in hf.values():
        tokenizer.model = models.WordPiece({p: i for i, p in enumerate(vocabulary)}, unk_token="[UNK]",
                                           max_input_chars_per_word=100)
    python = {lower: google.BertTokenizer(str(HERE / "vocab.txt"), do_lower_case=lower, never_split=())
              for lower in (True, False)}
    assert all(list(tokenizer.vocab) == vocabulary for tokenizer in python.values())
    python_ids = lambda lower, text: python[lower].convert_tokens_to_ids(python[lower].tokenize(text))
    with open(HERE / "lines.jsonl", "w", encoding="utf-8") as out:
        for text in lines:
            item = {"text": text, "hf": hf[True].encode(text).ids, "hf_cased": hf[False].encode(text).ids,
                    "google_py": python_ids(True, text), "google_py_cased": python_ids(False, text)}
            out.write(json.dumps(item, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
