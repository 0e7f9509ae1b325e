"""The other tokenizers of compare_tokenizers: processor time of passes over a text, or the ids of its lines.

Usage: tokenizer_peers.py nanotoken|huggingface|python|tiktoken TOKENIZER TEXT [--cased] [--passes N] [--ids FILE]

TOKENIZER is a vocab.txt or, for huggingface and tiktoken, a tokenizer.json with a byte-level BPE.

python is the algorithm of BertTokenizer as Google and NVIDIA have it, in plain Python: clean, split at white space,
fold, split at punctuation, then look for the longest pieces.
"""
import argparse
import json
import os
import time
import unicodedata

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
              (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
LONGEST_WORD = 100


def vocabulary_of(file):
    with open(file, encoding="utf-8") as lines:
        return {line.rstrip("\n"): number for number, line in enumerate(lines)}


class PythonTokenizer:
    def __init__(self, vocabulary, cased):
        self.vocabulary = vocabulary
        self.cased = cased

    def encode(self, text):
        ids = []
        for word in self.words(text):
            ids += [self.vocabulary[piece] for piece in self.pieces(word)]
        return ids

    def words(self, text):
        spaced = "".join(self.cleaned(text)).split()
        split = []
        for token in spaced:
            split += self.split_at_punctuation(token if self.cased else self.folded(token))
        return " ".join(split).split()

    @staticmethod
    def cleaned(text):
        for c in text:
            code = ord(c)
            if code in (0, 0xFFFD) or (c not in "\t\n\r" and unicodedata.category(c).startswith("C")):
                continue
            if c in " \t\n\r" or unicodedata.category(c) == "Zs":
                yield " "
            elif any(first <= code <= last for first, last in IDEOGRAPHS):
                yield " " + c + " "
            else:
                yield c

    @staticmethod
    def folded(token):
        return "".join(c for c in unicodedata.normalize("NFD", token.lower()) if unicodedata.category(c) != "Mn")

    @staticmethod
    def split_at_punctuation(token):
        parts, starts_word = [], True
        for c in token:
            code = ord(c)
            if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126 \
                    or unicodedata.category(c).startswith("P"):
                parts.append([c])
                starts_word = True
            else:
                if starts_word:
                    parts.append([])
                parts[-1].append(c)
                starts_word = False
        return ["".join(part) for part in parts]

    def pieces(self, word):
        if len(word) > LONGEST_WORD:
            return ["[UNK]"]
        pieces, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = ("##" if start else "") + word[start:end]
                if piece in self.vocabulary:
                    break
                end -= 1
            if end == start:
                return ["[UNK]"]
            pieces.append(piece)
            start = end
        return pieces


def python_encoder(arguments):
    tokenizer = PythonTokenizer(vocabulary_of(arguments.vocabulary), arguments.cased)
    return lambda lines: [tokenizer.encode(line) for line in lines]


def huggingface_encoder(arguments):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    if arguments.vocabulary.endswith(".json"):
        tokenizer = Tokenizer.from_file(arguments.vocabulary)
        return lambda lines: tokenizer.encode_batch_fast(lines, add_special_tokens=False)
    tokenizer = Tokenizer(models.WordPiece(vocabulary_of(arguments.vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not arguments.cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return lambda lines: tokenizer.encode_batch_fast(lines, add_special_tokens=False)


def nanotoken_encoder(arguments):
    import nanotoken

    tokenizer = nanotoken.Tokenizer.from_vocab(arguments.vocabulary, lowercase=not arguments.cased)
    return lambda lines: tokenizer.encode_batch(lines, add_special_tokens=False, parallel=False)


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def bytes_of_characters():
    """GPT-2's bytes_to_unicode(), the other way round."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + place): byte for place, byte in enumerate(others)}


def tiktoken_encoder(arguments):
    """Merges by id, so the ids must be in the order of the merges; a normalizer is Python's."""
    import tiktoken

    with open(arguments.vocabulary, encoding="utf-8") as file:
        described = json.load(file)
    steps = described["pre_tokenizer"].get("pretokenizers")
    bytes_of, special = bytes_of_characters(), {token["content"]: token["id"] for token in described["added_tokens"]}
    ranks = {bytes(bytes_of[c] for c in token): number for token, number in described["model"]["vocab"].items()
             if token not in special}
    encoding = tiktoken.Encoding("peer", pat_str=steps[0]["pattern"]["Regex"] if steps else GPT2, mergeable_ranks=ranks,
                                 special_tokens=special)
    form = (described["normalizer"] or {}).get("type")
    prepared = (lambda line: unicodedata.normalize(form, line)) if form else lambda line: line
    return lambda lines: [encoding.encode_ordinary(prepared(line)) for line in lines]


ENCODERS = {"nanotoken": nanotoken_encoder, "huggingface": huggingface_encoder, "python": python_encoder,
            "tiktoken": tiktoken_encoder}


def seconds_to_encode(encode, lines):
    before = time.process_time()
    encode(lines)
    return time.process_time() - before


def measured(make_encoder, lines, passes):
    """Every cold pass has an encoder of its own; slow programs get one pass of each kind."""
    cold, warm = [], []
    for _ in range(passes):
        encode = make_encoder()
        cold.append(seconds_to_encode(encode, lines))
        warm += [seconds_to_encode(encode, lines) for _ in range(passes)]
        if cold[0] > 0.3:
            break
    return {"cold": cold, "warm": warm}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=ENCODERS)
    parser.add_argument("vocabulary")
    parser.add_argument("text")
    parser.add_argument("--cased", action="store_true")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--ids", help="write the ids of every line to this file and measure nothing")
    arguments = parser.parse_args()
    with open(arguments.text, encoding="utf-8", newline="\n") as text:
        lines = text.read().removesuffix("\n").split("\n")
    make_encoder = lambda: ENCODERS[arguments.program](arguments)
    if not arguments.ids:
        print(json.dumps(measured(make_encoder, lines, 1 if arguments.program != "nanotoken" else arguments.passes)))
        return
    with open(arguments.ids, "w") as out:
        for ids in make_encoder()(lines):
            out.write(" ".join(map(str, getattr(ids, "ids", ids))) + "\n")


if __name__ == "__main__":
    main()
