#!/usr/bin/env python3
"""Writes the tokenizers that Hugging Face's own code makes of vocab.txt: tokenizer.json of BERT, uncased and cased, and
of a decoder, which has no [CLS], and [SEP] at the end of a document.

    python3 make_golden.py        (transformers 4.57.6, tokenizers 0.22.2)
"""

import json
import pathlib

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import BertTokenizerFast

FOLDER = pathlib.Path(__file__).parent
VOCABULARY = FOLDER / "vocab.txt"


def write(name, text):
    (FOLDER / name).write_text(json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True, indent=1) + "\n")


def bert(lower):
    return BertTokenizerFast(vocab_file=str(VOCABULARY), do_lower_case=lower).backend_tokenizer.to_str()


def decoder():
    ids = {piece: number for number, piece in enumerate(VOCABULARY.read_text().splitlines())}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[SEP]"])
    return tokenizer.to_str()


write("bert_uncased.json", bert(True))
write("bert_cased.json", bert(False))
write("decoder.json", decoder())
