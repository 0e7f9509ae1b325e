#!/usr/bin/env python3
"""The steps from a Wikipedia dump to BERT's HDF5 shards as NVIDIA's scripts take them, one core, timed.

Usage: reference_preparation.py DUMP --vocab FILE --punkt DIR --out DIR
       reference_preparation.py --sentences FILE... --vocab FILE --out DIR [--seq-len 128 --max-pred 20]

The steps: bzip2 -dc, wikiextractor (3.1.0 of PyPI), one article per line, Punkt sentences dealt to shards,
create_pretraining_data for both phases (128/20 and 512/80, five passes), each shard in a process of its own. Written anew
from their description; the last step draws from random.Random in the same order as NVIDIA's, so that it gives the same
bytes. The second form takes that step alone, in this process, of one phase or of both.

Prints a JSON object: processor seconds of each step; "start" is that of the processes of the last step until their work
begins.
"""
import argparse
import collections
import glob
import json
import os
import random
import resource
import subprocess
import sys
import time
import unicodedata

import h5py
import numpy

PHASES = ((128, 20), (512, 80))
SEED, PASSES, MASKED_SHARE, SHORT_SHARE = 12345, 5, 0.15, 0.1
TRAINING_SHARDS, TEST_SHARDS, TEST_FRACTION = 8, 2, 0.1


def processor_seconds():
    """Of this process and the children that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


# ---------------------------------------------------------------- dump to sentences


def unpack(dump, folder):
    if not dump.endswith(".bz2"):
        return dump
    path = os.path.join(folder, "dump.xml")
    with open(path, "wb") as out:
        subprocess.run(["bzip2", "-dc", dump], stdout=out, check=True)
    return path


def extract(xml, folder):
    out = os.path.join(folder, "extracted")
    subprocess.run([sys.executable, "-m", "wikiextractor.WikiExtractor", xml, "-o", out, "-b", "100M", "--no-templates",
                    "--processes", "1", "-q"], check=True, stderr=subprocess.DEVNULL)
    return out


def one_article_per_line(extracted, folder):
    path = os.path.join(folder, "articles.txt")
    with open(path, "w", encoding="utf-8") as out:
        for name in glob.glob(os.path.join(extracted, "**", "wiki_*"), recursive=True):
            with open(name, encoding="utf-8") as lines:
                write_articles(lines, out)
    return path


def write_articles(lines, out):
    inside = False
    for line in lines:
        if line.startswith("<doc id="):
            inside, title_to_come = True, True
        elif line.startswith("</doc>"):
            out.write("\n\n")
            inside = False
        elif inside and title_to_come:
            title_to_come = False
        elif inside and line != "\n":
            out.write(line[:-1] + " ")


def punkt_tokenizer(folder):
    from nltk.tokenize.punkt import PunktParameters, PunktTokenizer

    parameters = PunktParameters()

    def lines(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return [line.rstrip("\n") for line in file]

    parameters.abbrev_types = set(lines("abbrev_types.txt"))
    parameters.sent_starters = set(lines("sent_starters.txt"))
    parameters.collocations = {tuple(line.split("\t")) for line in lines("collocations.tab")}
    for line in lines("ortho_context.tab"):
        word, context = line.split("\t")
        parameters.ortho_context[word] = int(context)
    tokenizer = PunktTokenizer.__new__(PunktTokenizer)  # whose constructor looks for a model that nltk downloads
    super(PunktTokenizer, tokenizer).__init__(parameters)
    return tokenizer


def shard(articles_file, punkt_folder, folder):
    tokenizer = punkt_tokenizer(punkt_folder)
    articles = []
    with open(articles_file, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                articles.append(tokenizer.tokenize(line.strip()))
    shards = deal(articles)
    paths = []
    for name, content in shards.items():
        paths.append(os.path.join(folder, name + ".txt"))
        with open(paths[-1], "w", encoding="utf-8") as out:
            for article in content:
                for sentence in article:
                    out.write(sentence + "\n")
                out.write("\n")
    return paths


def deal(articles):
    """Longest articles first, each to the shard that is furthest from its share of the sentences."""
    total = sum(map(len, articles))
    shares = {f"wikicorpus_en_training_{i}": (1 - TEST_FRACTION) / TRAINING_SHARDS for i in range(TRAINING_SHARDS)}
    shares |= {f"wikicorpus_en_test_{i}": TEST_FRACTION / TEST_SHARDS for i in range(TEST_SHARDS)}
    room = {name: total * share for name, share in shares.items()}
    shards = {name: [] for name in shares}
    for article in sorted(articles, key=len, reverse=True):
        name = max(room, key=room.get)
        shards[name].append(article)
        room[name] -= len(article)
    return shards


# ---------------------------------------------------------------- WordPiece


def is_control(char):
    return char not in "\t\n\r" and unicodedata.category(char).startswith("C")


def is_space(char):
    return char in " \t\n\r" or unicodedata.category(char) == "Zs"


def is_punctuation(char):
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")


def is_chinese(code):
    return (0x4E00 <= code <= 0x9FFF or 0x3400 <= code <= 0x4DBF or 0x20000 <= code <= 0x2A6DF
            or 0x2A700 <= code <= 0x2B73F or 0x2B740 <= code <= 0x2B81F or 0x2B820 <= code <= 0x2CEAF
            or 0xF900 <= code <= 0xFAFF or 0x2F800 <= code <= 0x2FA1F)


class WordPiece:
    def __init__(self, vocabulary_file):
        with open(vocabulary_file, encoding="utf-8") as lines:
            self.ids = {line.strip(): number for number, line in enumerate(lines)}
        self.words = list(self.ids)

    def tokenize(self, text):
        return [piece for word in self.words_of(text) for piece in self.pieces_of(word)]

    def words_of(self, text):
        cleaned = []
        for char in text:
            code = ord(char)
            if code == 0 or code == 0xFFFD or is_control(char):
                continue
            cleaned.append(" " if is_space(char) else char)
        spaced = []
        for char in cleaned:
            if is_chinese(ord(char)):
                spaced.append(" " + char + " ")
            else:
                spaced.append(char)
        words = []
        for word in "".join(spaced).split():
            word = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
            words.extend(split_at_punctuation(word))
        return " ".join(words).split()

    def pieces_of(self, word):
        if len(word) > 200:
            return ["[UNK]"]
        pieces, start = [], 0
        while start < len(word):
            end = len(word)
            while start < end:
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.ids:
                    break
                end -= 1
            else:
                return ["[UNK]"]
            pieces.append(piece)
            start = end
        return pieces


def split_at_punctuation(word):
    parts, begin_new = [], True
    for char in word:
        if is_punctuation(char):
            parts.append([char])
            begin_new = True
        elif begin_new:
            parts.append([char])
            begin_new = False
        else:
            parts[-1].append(char)
    return ["".join(part) for part in parts]


# ---------------------------------------------------------------- instances

Instance = collections.namedtuple("Instance", "tokens segments random_next positions labels")


def read_documents(path, tokenizer):
    documents = [[]]
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if not line:
                documents.append([])
            pieces = tokenizer.tokenize(line)
            if pieces:
                documents[-1].append(pieces)
    return [document for document in documents if document]


def make_instances(documents, words, length, most_predictions, rng):
    rng.shuffle(documents)
    instances = []
    for _ in range(PASSES):
        for index in range(len(documents)):
            instances.extend(instances_of(documents, index, words, length, most_predictions, rng))
    rng.shuffle(instances)
    return instances


def instances_of(documents, index, words, length, most_predictions, rng):
    document = documents[index]
    room = length - 3
    target = rng.randint(2, room) if rng.random() < SHORT_SHARE else room
    instances, chunk, size, i = [], [], 0, 0
    while i < len(document):
        chunk.append(document[i])
        size += len(document[i])
        if i == len(document) - 1 or size >= target:
            if chunk:
                first, second, random_next, unused = pair(documents, index, chunk, target, rng)
                i -= unused
                truncate(first, second, room, rng)
                instances.append(mask(first, second, random_next, words, most_predictions, rng))
            chunk, size = [], 0
        i += 1
    return instances


def pair(documents, index, chunk, target, rng):
    end = rng.randint(1, len(chunk) - 1) if len(chunk) >= 2 else 1
    first = [piece for sentence in chunk[:end] for piece in sentence]
    if len(chunk) != 1 and rng.random() >= 0.5:
        return first, [piece for sentence in chunk[end:] for piece in sentence], False, 0
    for _ in range(10):
        other = rng.randint(0, len(documents) - 1)
        if other != index:
            break
    second, wanted = [], target - len(first)
    for sentence in documents[other][rng.randint(0, len(documents[other]) - 1):]:
        second.extend(sentence)
        if len(second) >= wanted:
            break
    return first, second, other != index, len(chunk) - end


def truncate(first, second, room, rng):
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        if rng.random() < 0.5:
            del longer[0]
        else:
            longer.pop()


def mask(first, second, random_next, words, most_predictions, rng):
    tokens = ["[CLS]", *first, "[SEP]", *second, "[SEP]"]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    candidates = [i for i, token in enumerate(tokens) if token not in ("[CLS]", "[SEP]")]
    rng.shuffle(candidates)
    count = min(most_predictions, max(1, int(round(len(tokens) * MASKED_SHARE))))
    shown, chosen = list(tokens), []
    for position in candidates[:count]:
        if rng.random() < 0.8:
            shown[position] = "[MASK]"
        elif rng.random() >= 0.5:
            shown[position] = words[rng.randint(0, len(words) - 1)]
        chosen.append((position, tokens[position]))
    chosen.sort()
    return Instance(shown, segments, random_next, [p for p, _ in chosen], [t for _, t in chosen])


# ---------------------------------------------------------------- HDF5


def write_shard(path, instances, ids, length, most_predictions):
    count = len(instances)
    columns = {"input_ids": numpy.zeros([count, length], "int32"), "input_mask": numpy.zeros([count, length], "int32"),
               "segment_ids": numpy.zeros([count, length], "int32"),
               "masked_lm_positions": numpy.zeros([count, most_predictions], "int32"),
               "masked_lm_ids": numpy.zeros([count, most_predictions], "int32"),
               "next_sentence_labels": numpy.zeros(count, "int32")}
    for row, instance in enumerate(instances):
        tokens = [ids[token] for token in instance.tokens]
        labels = [ids[token] for token in instance.labels]
        padding, behind = [0] * (length - len(tokens)), [0] * (most_predictions - len(labels))
        columns["input_ids"][row] = tokens + padding
        columns["input_mask"][row] = [1] * len(tokens) + padding
        columns["segment_ids"][row] = instance.segments + padding
        columns["masked_lm_positions"][row] = instance.positions + behind
        columns["masked_lm_ids"][row] = labels + behind
        columns["next_sentence_labels"][row] = 1 if instance.random_next else 0
    narrow = ("input_mask", "segment_ids", "next_sentence_labels")
    with h5py.File(path, "w") as file:
        for name, values in columns.items():
            file.create_dataset(name, data=values, dtype="i1" if name in narrow else "i4", compression="gzip")


def create_pretraining_data(files, tokenizer, folder, length, most_predictions, seconds):
    """Tokenizes again in each phase, as the scripts do: nothing is kept between them."""
    os.makedirs(folder, exist_ok=True)
    for path in files:
        before = time.process_time()
        documents = read_documents(path, tokenizer)
        tokenized = time.process_time()
        instances = make_instances(documents, tokenizer.words, length, most_predictions, random.Random(SEED))
        name = os.path.splitext(os.path.basename(path))[0] + ".hdf5"
        write_shard(os.path.join(folder, name), instances, tokenizer.ids, length, most_predictions)
        seconds["tokenise"] += tokenized - before
        seconds["instances and HDF5"] += time.process_time() - tokenized


# ---------------------------------------------------------------- program


def sentences_of_dump(arguments, seconds):
    work = os.path.join(arguments.out, "work")
    os.makedirs(work)
    result = arguments.dump
    for name, step in (("unpack", lambda path: unpack(path, work)), ("extract", lambda path: extract(path, work)),
                       ("format", lambda path: one_article_per_line(path, work)),
                       ("sentences", lambda path: shard(path, arguments.punkt, work))):
        before = processor_seconds()
        result = step(result)
        seconds[name] += processor_seconds() - before
    return result


def create_in_processes(files, arguments, seconds):
    """One after another; the scripts start several at a time."""
    for length, predictions in PHASES:
        for path in files:
            before = processor_seconds()
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--sentences", path, "--vocab", arguments.vocab,
                                   "--out", arguments.out, "--seq-len", str(length), "--max-pred", str(predictions)],
                                  stdout=subprocess.PIPE, check=True)
            inside = json.loads(done.stdout)
            for name, value in inside.items():
                seconds[name] += value
            seconds["start"] += processor_seconds() - before - sum(inside.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="?")
    parser.add_argument("--sentences", nargs="+", metavar="FILE", help="a sentence a line, an empty line behind every document")
    parser.add_argument("--vocab", required=True)
    parser.add_argument("--punkt", help="folder of Punkt parameters")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seq-len", type=int)
    parser.add_argument("--max-pred", type=int)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    seconds = collections.defaultdict(float)
    if arguments.dump:
        create_in_processes(sentences_of_dump(arguments, seconds), arguments, seconds)
    else:
        tokenizer = WordPiece(arguments.vocab)
        for length, predictions in ((arguments.seq_len, arguments.max_pred),) if arguments.seq_len else PHASES:
            folder = os.path.join(arguments.out, f"seq{length}")
            create_pretraining_data(arguments.sentences, tokenizer, folder, length, predictions, seconds)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
