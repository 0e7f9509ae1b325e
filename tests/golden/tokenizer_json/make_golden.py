#!/usr/bin/env python3
"""Writes cases.json: small tokenizers of every kind that a tokenizer.json can describe and Trainyard reads, with the ids
that Hugging Face tokenizers yield for texts.json; and normal_forms.json, digests of their normal forms.

Usage: make_golden.py      (needs pip install tokenizers==0.23.3; writes beside itself)

A case is a model of models.json with the members in "changes" put into its tokenizer.json; "+model" changes the model. The
models differ from run to run, because the trainer meets words in the order of a randomly seeded hash.
"""
import copy
import hashlib
import json
import os
import random

from tokenizers import Tokenizer, models, normalizers as hf_normalizers, pre_tokenizers, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = """the The THE I'm don't we'LL they'Ve 'S 'ſ K'D it's <|end|> <|end|>. 12345 3.14 1,000,000 ½²Ⅷ naïve café e\u0301 \u1e69 \u0073\u0323\u0307
\u1100\u1161\u11a8 \uac00\u11a8 \u212b \ufb01 \u1e9b\u0323 \u0958 \u09c7\u09be \u0344 \u0130 \u03a3\u03c3\u03c2 中文字符 漢字かなカナ ひらがな Привет ЁЖИК
हिन्दी ไทย한국어 안녕 العربية עברית http://x.y/z?a=b&c=d x_y A.B ... !!! foo(bar)[0]; \U0001f600\u200d\U0001f469 \U0001f1e9\U0001f1ea camelCaseWord HTTPServer ▁a▁ \u01c5
\u1c89 \ua7dc \U0002ebf0 \ua7ce \U00011938 \U00011935\U00011930 \u07fd\u0345 Straße ÄÖÜ \ufffd \x00 \x7f \u00ad \u200b""".split(" ")
WORDS = [word for piece in WORDS for word in piece.split("\n")]
BLANKS = [" ", " ", " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n ", "\u00a0", "\u2028", "\u3000", "\u0085", ""]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)"
          r"|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
POSSESSIVE = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
              r"|\s+(?!\S)|\s")
DEEPSEEK = [r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
            "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"]
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
CLIP = r"<\|end\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
ODD = (r"\w+?[a-c]|(?:ab|c){2,3}+|xy{2}?|\W{1,3}?z|\w??t|(?:\p{Lu}\p{Ll})++\d|(?=\s)\s\S?|[\p{L}&&[^\p{Lu}]]+|[[;]\]-]x|^\S"
       r"|\S$|\A\s|\x41|\u00e9|\x{1F600}|[\x{300}-\x{36F}]|\p{Han}+|\p{Hiragana}|\P{^Lu}|[^\W\d]")


def texts():
    chance = random.Random(7)
    mixed = ["".join(chance.choice(WORDS) + chance.choice(BLANKS) for _ in range(chance.randrange(1, 9))) for _ in range(36)]
    return ["", " ", "   ", "\n\n \n", "a", " a", *(" ".join(WORDS[i:i + 12]) for i in range(0, len(WORDS), 12)), *mixed]


def trained(model, pre_tokenizer, **settings):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer
    settings = {"vocab_size": 420, "show_progress": False} | settings
    tokenizer.train_from_iterator(texts(), trainers.BpeTrainer(**settings))
    return json.loads(tokenizer.to_str())


def base_models():
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    byte_tokens = ["<0x%02X>" % byte for byte in range(256)]
    made = {
        "bytes": trained(models.BPE(), pre_tokenizers.ByteLevel(False), initial_alphabet=alphabet, special_tokens=["<|end|>"]),
        "characters": trained(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True), pre_tokenizers.Metaspace(),
                              special_tokens=["<unk>", *byte_tokens], limit_alphabet=90),
        "affixes": trained(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"),
                           pre_tokenizers.WhitespaceSplit(), special_tokens=["<unk>"], continuing_subword_prefix="##",
                           end_of_word_suffix="</w>", limit_alphabet=90),
    }
    made["characters"]["added_tokens"] = made["characters"]["added_tokens"][:1]
    made["words"] = word_pieces()
    return made


def bert(**settings):
    return {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                           "lowercase": True} | settings}


def word_pieces():
    letters = sorted(set("".join(texts())) - set("Я한🏽") - {" "})
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + c for c in letters), "the", "##he", "caf", "##fé"]
    tokenizer = Tokenizer(models.WordPiece({token: number for number, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens(tokens[:5])
    return json.loads(tokenizer.to_str()) | bert() | {"pre_tokenizer": {"type": "BertPreTokenizer"}}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(prefix=False, regex=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def sequence(*parts):
    return {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [*parts]}}


def normalizers(*parts):
    return {"normalizer": {"type": "Sequence", "normalizers": [*parts]}}


def metaspace(**settings):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True} | settings


def added(base, *tokens):
    """Tokens with the ids that Hugging Face gives them."""
    listed, vocabulary = copy.deepcopy(base["added_tokens"]), base["model"]["vocab"]
    following = len(vocabulary)
    for content, settings in tokens:
        number = vocabulary.get(content, following)
        following += content not in vocabulary
        listed.append({"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
                       "normalized": False, "special": False} | settings)
    return {"added_tokens": listed}


def cases(base):
    plain = byte_level(regex=False)
    replace = lambda kind, old, new: {"type": "Replace", "pattern": {kind: old}, "content": new}
    of_bytes = {
        "GPT-2": {}, "prefix space": {"pre_tokenizer": byte_level(True)}, "one piece": {"pre_tokenizer": plain},
        "no pre-tokenizer": {"pre_tokenizer": None}, "Llama 3": sequence(split(LLAMA3), plain) | {"+model": {"ignore_merges": True}},
        "Qwen": sequence(split(LLAMA3.replace("{1,3}", "")), plain) | {"normalizer": {"type": "NFC"}},
        "o200k": sequence(split(O200K), plain), "possessive": sequence(split(POSSESSIVE, "Removed", True), plain),
        "DeepSeek": sequence(*map(split, DEEPSEEK), plain), "BLOOM": sequence(split(BLOOM), plain), "odd": sequence(split(ODD), plain),
        "CLIP": sequence(split(CLIP, "Removed", True), byte_level())
        | normalizers({"type": "NFC"}, replace("Regex", r"\s+", " "), {"type": "Lowercase"}),
        "StarCoder": sequence({"type": "Digits", "individual_digits": True}, byte_level()),
        "Falcon": sequence({"type": "Punctuation", "behavior": "Contiguous"}, byte_level(),
                           {"type": "Digits", "individual_digits": False}, split("[0-9][0-9][0-9]")),
        "words": sequence({"type": "Whitespace"}, plain), "blanks": sequence({"type": "WhitespaceSplit"}, plain),
        "BERT's words": sequence({"type": "BertPreTokenizer"}, plain),
        "with previous": sequence(split(r"\p{L}+", "MergedWithPrevious"), plain),
        "with next": sequence(split(r"\s", "MergedWithNext"), plain),
        "with next, inverted": sequence(split(r"\s+", "MergedWithNext", True), plain),
        "contiguous": sequence(split(r"[a-m\d]", "Contiguous"), plain), "removed": sequence(split(r"\w", "Removed"), plain),
        "literal": sequence(split("th", kind="String"), plain),
        "spelled early": {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": None},
        "spelled twice": {"normalizer": {"type": "ByteLevel"}},
        "strip": {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}},
        "without accents": normalizers({"type": "NFD"}, {"type": "StripAccents"}),
        "added": added(base["bytes"], ("  ", {}), ("the", {"single_word": True}), ("12", {"rstrip": True, "lstrip": True}),
                       ("café", {"normalized": True}), ("中文", {"lstrip": True}), ("12345", {}), ("!", {"single_word": True})),
        "added, normalized": added(base["bytes"], ("THE", {"normalized": True}), ("É", {"normalized": True, "lstrip": True}),
                                   ("Foo", {"normalized": True, "single_word": True}))
        | normalizers({"type": "NFC"}, {"type": "Lowercase"}),
    } | {name: {"normalizer": {"type": name}} for name in ("NFD", "NFKC", "NFKD", "Lowercase", "Nmt")}
    of_characters = {
        "metaspace": {}, "metaspace first": {"pre_tokenizer": metaspace(prepend_scheme="first")},
        "metaspace never": {"pre_tokenizer": metaspace(prepend_scheme="never")},
        "metaspace whole": {"pre_tokenizer": metaspace(split=False, prepend_scheme="first")},
        "Llama 2": normalizers({"type": "Prepend", "prepend": "▁"}, replace("String", " ", "▁")) | {"pre_tokenizer": None},
        "Gemma": {"normalizer": replace("String", " ", "▁"),
                  "pre_tokenizer": split(" ", "MergedWithPrevious", kind="String")},
        "unknown, fused": {"+model": {"byte_fallback": False}},
        "unknown": {"+model": {"byte_fallback": False, "fuse_unk": False}},
        "left out": {"+model": {"byte_fallback": False, "unk_token": None}},
    }
    of_words = {
        "BERT": {}, "BERT, cased": bert(lowercase=False), "BERT, accents kept": bert(strip_accents=False),
        "BERT, accents removed": bert(strip_accents=True, lowercase=False), "BERT, not cleaned": bert(clean_text=False),
        "BERT, ideographs in words": bert(handle_chinese_chars=False),
        "BERT, short words": {"+model": {"max_input_chars_per_word": 4}},
        "BERT, no prefix": {"+model": {"continuing_subword_prefix": ""}},
        "BERT, added": added(base["words"], ("café", {"normalized": True}), ("THE", {"normalized": True, "single_word": True})),
        "other words": {"normalizer": None, "pre_tokenizer": {"type": "Whitespace"}},
    }
    return [("bytes", *case) for case in of_bytes.items()] + [("characters", *case) for case in of_characters.items()] \
        + [("affixes", "affixes", {})] + [("words", *case) for case in of_words.items()]


def changed(base, changes):
    described = copy.deepcopy(base)
    described["model"].update(changes.get("+model", {}))
    described.update({key: value for key, value in changes.items() if key != "+model"})
    return described


def form_digests():
    """Of the form of every code point below U+20000 and of the compatibility ideographs, among marks and letters that sort
    or join."""
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FA20)]
    lines = "".join("%c\u0301\u0323\u09be\u1161\u11a8%c\n" % (code, code) for code in codes)
    digest = lambda name: hashlib.sha256(getattr(hf_normalizers, name)().normalize_str(lines).encode()).hexdigest()
    return {name: digest(name) for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase")}


def main():
    base, lines = base_models(), texts()
    listed = []
    for model, name, changes in cases(base):
        tokenizer = Tokenizer.from_str(json.dumps(changed(base[model], changes)))
        ids = [" ".join(map(str, tokenizer.encode(text, add_special_tokens=False).ids)) for text in lines]
        listed.append({"name": name, "model": model, "changes": changes, "ids": ids})
    with open(os.path.join(HERE, "texts.json"), "w") as out:
        json.dump(lines, out, indent=0)
    with open(os.path.join(HERE, "models.json"), "w") as out:
        json.dump(base, out, separators=(",", ":"))
    with open(os.path.join(HERE, "cases.json"), "w") as out:
        json.dump(listed, out, indent=0)
    with open(os.path.join(HERE, "normal_forms.json"), "w") as out:
        json.dump(form_digests(), out, indent=1)


if __name__ == "__main__":
    main()
