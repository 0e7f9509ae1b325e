#!/usr/bin/env python3
"""Writes small tokenizers of several kinds, each as NAME/tokenizer.json, and the rows that Hugging Face's transformers
makes with them of examples for tasks: rows.json.

    python3 make_golden.py        (transformers 5.24.0, tokenizers 0.23.3; writes beside itself)

Places are bytes here, and those of tokens outside of the context are -1. Examples are tagged as Hugging Face's scripts do it:
with add_prefix_space for byte-level BPE. The trainer of WordPiece decides ties by chance, so its tokenizers differ from run to run.
"""
import json
import os
import pathlib
import unicodedata

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, RobertaTokenizer

HERE = pathlib.Path(__file__).parent
LENGTH, STRIDE = 24, 4
TEXTS = ["The train leaves the station at noon, and nobody knows when it will come back.",
         "Köln is on the Rhine; the cathedral was finished in 1880.",
         "A cafe\u0301 near the tracks sells cakes \u2014 don't miss them!",
         "  Two spaces,\ta tab and <s>odd</s> names [SEP] in it.",
         "日本語 and emoji 🚂🚃 too."]
QUESTIONS = [("Where is Köln?", TEXTS[1], "on the Rhine"), ("When was it finished?", TEXTS[1], "1880"),
             ("What does it sell?", TEXTS[2], "cakes"), ("Where?", TEXTS[2], "cafe\u0301 near"),
             ("When does the train leave the station?", " ".join(TEXTS[:2]), "noon"), ("Who?", TEXTS[4], "🚂"),
             ("Why?", TEXTS[0], None)]
SENTENCES = [["Köln", "is", "on", "the", "Rhine", "."], ["Nobody", "knows", "\"", "cafe\u0301s", "\"", "don't", "they", "?"]]
CORPUS = [*TEXTS, *(question for question, _, _ in QUESTIONS)]


def trained(tokenizer, special, trainer=trainers.BpeTrainer, **options):
    tokenizer.train_from_iterator(CORPUS * 3, trainer(vocab_size=360, special_tokens=special, show_progress=False, **options))
    return tokenizer


def roberta():
    bytes_ = Tokenizer(models.BPE())
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model = json.loads(trained(bytes_, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                               initial_alphabet=pre_tokenizers.ByteLevel.alphabet()).to_str())["model"]
    merges = [tuple(merge) for merge in model["merges"]]
    return RobertaTokenizer(vocab=model["vocab"], merges=merges, mask_token=AddedToken("<mask>", lstrip=True, special=True))


def framed(tokenizer, names, pad, **more):
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=pad, **names, **more)


def modernbert():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<|padding|>", "<|endoftext|>", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    trained(tokenizer, special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.add_tokens([AddedToken("  ", normalized=True)])
    ids = {name: tokenizer.token_to_id(name) for name in special}
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])])
    return framed(tokenizer, dict(cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]"), "[PAD]")


def word_pieces():
    """Not exactly BERT's: accents go, case stays."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained(tokenizer, special, trainers.WordPieceTrainer, limit_alphabet=60)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return framed(tokenizer, dict(cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", unk_token="[UNK]"), "[PAD]")


def bert():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trained(tokenizer, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], trainers.WordPieceTrainer, limit_alphabet=60)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return framed(tokenizer, dict(cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", unk_token="[UNK]"), "[PAD]")


def in_bytes(text, place):
    return len(text[:place].encode())


def without_special_names(tokenizer):
    """Names of special tokens in texts are text to Trainyard."""
    backend = json.loads(tokenizer.backend_tokenizer.to_str())
    backend["added_tokens"] = [token for token in backend["added_tokens"] if not token["special"]]
    return Tokenizer.from_str(json.dumps(backend))


def trimmed(text, place, composes):
    """As the post-processors of byte-level BPE do it that have trim_offsets; with the accents that NFC made a part of the
    last character, whose place Hugging Face forgets."""
    begin, end = place
    while composes and begin < end < len(text) and unicodedata.combining(text[end]):
        end += 1
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return in_bytes(text, begin), in_bytes(text, end)


def answer_rows(tokenizer, composes):
    for question, context, answer in QUESTIONS:
        rows = tokenizer(question, context, truncation="only_second", max_length=LENGTH, stride=STRIDE,
                         return_overflowing_tokens=True, return_offsets_mapping=True, return_token_type_ids=True)
        for row, ids in enumerate(rows["input_ids"]):
            sides = rows.sequence_ids(row)
            places = [trimmed(context, place, composes) if side == 1 else (-1, -1)
                      for side, place in zip(sides, rows["offset_mapping"][row])]
            start = end = 0
            if answer is not None:
                begin = context.index(answer)
                first, last = in_bytes(context, begin), in_bytes(context, begin + len(answer))
                inside = [i for i, (b, e) in enumerate(places) if sides[i] == 1 and e > first and b < last]
                whole = [i for i, side in enumerate(sides) if side == 1]
                if inside and places[whole[0]][0] <= first and places[whole[-1]][1] >= last:
                    start, end = inside[0], inside[-1]
            yield dict(ids=ids, types=rows["token_type_ids"][row], begins=[b for b, _ in places], ends=[e for _, e in places],
                       start=start, end=end)


def write(name, tokenizer, prefixed=False, composes=False):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    backend = json.loads(tokenizer.backend_tokenizer.to_str())
    backend["truncation"] = backend["padding"] = None
    (folder / "tokenizer.json").write_text(json.dumps(backend, ensure_ascii=False) + "\n")
    tokenizer._tokenizer = without_special_names(tokenizer)
    options = dict(truncation="longest_first", max_length=LENGTH, return_token_type_ids=True)
    rows = lambda encoded: dict(ids=encoded["input_ids"], types=encoded["token_type_ids"])
    texts = [dict(text=text, pair="", **rows(tokenizer(text, **options))) for text in TEXTS]
    texts += [dict(text=a, pair=b, **rows(tokenizer(a, b, **options))) for a in TEXTS for b in TEXTS[:3]]
    if prefixed:
        tokenizer._tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    words = []
    for sentence in SENTENCES:
        encoded = tokenizer(sentence, is_split_into_words=True, **options)
        before = [None, *encoded.word_ids()[:-1]]
        words.append(dict(words=sentence, **rows(encoded),
                          first=[w if w is not None and w != b else -1 for w, b in zip(encoded.word_ids(), before)]))
    if prefixed:
        tokenizer._tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    golden = dict(length=LENGTH, stride=STRIDE, texts=texts, words=words,
                  questions=[dict(question=q, context=c, answer=a) for q, c, a in QUESTIONS], answers=list(answer_rows(tokenizer, composes)))
    (folder / "rows.json").write_text(json.dumps(golden, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    write("roberta", roberta(), prefixed=True)
    write("modernbert", modernbert(), prefixed=True, composes=True)
    write("word-pieces", word_pieces())
    write("bert", bert())
