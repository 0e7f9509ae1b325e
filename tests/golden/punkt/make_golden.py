#!/usr/bin/env python3
"""Writes parameters/ and sentences.jsonl beside itself: where nltk's Punkt ends the sentences of odd texts.

Usage: make_golden.py

Needs Python 3.11 and `pip install nltk==3.10.4 regex==2026.11.15`. The parameters are trained on a text that this
script makes up, and saved as nltk saves them.

Each line of sentences.jsonl is {"text", "sentences"}.
"""
import json
import pathlib
import random

from nltk.tabdata import TabEncoder
from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

HERE = pathlib.Path(__file__).parent
SUBJECTS = "the miller|a sailor|Dr. Brown|Mrs. Lee|J. Bach|Prof. Ito|the old town|every child|St. Mary|Capt. Vane".split("|")
VERBS = "saw|built|sold|painted|crossed|measured|forgot|remembered|left|repaired".split("|")
OBJECTS = ("the bridge|a boat of approx. 5 m|apples, pears etc. and bread|No. 7 of the list|the river at 3 p.m. on Monday|"
           "Fig. 2 of vol. 4|ca. 200 stones|the inn vs. the mill|a map by Acme Inc. of London|his ship, i.e. the Vega").split("|")
STARTERS = "however|then|in spring|it is said that|there|because of this|meanwhile".split("|")

EDGES = [
    "", " ", "\n", "No end", "One. Two. Three.", "Who? Me! Yes...", "Wait ... what? No . . . nothing.", "It fell.. and rose.",
    "Dr. Brown met J. S. Bach.", "At 3 p.m. on Monday. At 4 p.m. The end.", "No. 7 is. No. It is not.", "See Fig. 2. Then vol. 4.",
    '"It is." He said.', '"It is!" she said. (So be it.) [Yes.] {No.} End.', "He left (at 5.) Then he came.", "It is.) Then.",
    "“It is.” He said. ‘So.’ She said. «Oui.» Non. »Ja.« Nein.", "A.B. C.D. E. F. G.", "He is 5. She is 6. 7. It is.",
    "3.5 m. 1,000.5 kg. -4. +5. .5. Then.", "http://a.b/c.d?e=f. Then www.x.org. Next.", "a.b.c. Then?Yes!No.Then", "x--y. --z. --- .",
    "It is.--Then.", "It is.\"--Then.", "Yes!!! No??? What?! End.", "etc. The. etc. the. etc., and", "approx. Five. approx. five.",
    "Line one.\nLine two\ngoes on.\n\nLine three.  \n", "\tTabs.\tAnd more.\r\nEnd.\r\n", "No\u00a0break.\u00a0Then.\u2003Em. \u3000Wide.",
    "x.\x1cy. \x1c z.", "Él vino. Ésta no. élan. Ñ. B.", "Он пришёл. Она нет. т.е. так. А. С. Пушкин.", "ΟΔΟΣ. ΟΔΟΣ ΟΔΟΣ. Σ. ας.",
    "中文。日本. 한국. ", "٣. ١٢. العربية. نعم؟ لا.", "İstanbul. ISTANBUL. ı. İ. Ǆ. ǅ.", "ª. º. Ⅷ. ⅷ. ². ½. _. 1_.", "😀. 😀 Yes. e\u0301. \u0301.",
    "St. Mary. St. mary. Capt. Vane Capt. The.", "i.e. The miller. i.e. the miller.", "Acme Inc. of. Acme Inc. However it.",
    "well-approx. Five. non-etc. the.", "'Tis so.' 'No.'", "x.' y.) z.] w.}\" v.", "It is . Then .", ". . . Then. . . . the.",
    "(It is.) \"It was.\" [It. Will.]", "A. and B. or C.; D.: E., F.", "the end.\u2028Next.\u2029Last.\x85More.", "!?.", "...", ". .", ".", "?", "a.",
]


def training_text():
    draw = random.Random(1)
    sentences = []
    for _ in range(4000):
        start = draw.choice(STARTERS) + " " if draw.random() < 0.3 else ""
        sentence = f"{start}{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(OBJECTS)}"
        sentences.append(sentence[0].upper() + sentence[1:] + draw.choice("....!?"))
    return " ".join(sentences)


def train():
    trainer = PunktTrainer()
    trainer.INCLUDE_ABBREV_COLLOCS = True
    trainer.train(training_text(), finalize=True)
    return trainer.get_params()


def random_texts(parameters):
    draw = random.Random(2)
    words = sorted(parameters.ortho_context)
    marks = [". ", ".", "?", "!", "...", "..", ". . .", "?!", "\"", "'", "(", ")", "[", "]", "“", "”", "’", "«", "»", "--", "-", ",",
             ";", ":", "*", "@", "#", "`", " ", "\n", "\u00a0", "1", "12.", "3.5", "A.", "B. C.", "É.", "Σ.", "_.", "中。", "\u0301"]
    abbreviations = sorted(parameters.abbrev_types)

    def piece():
        kind = draw.random()
        if kind < 0.4:
            word = draw.choice(words)
            return draw.choice([word, word.capitalize(), word.upper(), word + ".", word.capitalize() + "."])
        if kind < 0.55:
            return draw.choice(abbreviations) + "."
        return draw.choice(marks)

    for _ in range(300):
        yield "".join(piece() + draw.choice(["", " ", " "]) for _ in range(draw.randint(1, 16)))


def save(parameters):
    """As nltk's save_punkt_params, but in order."""
    encoder, folder = TabEncoder(), HERE / "parameters"
    folder.mkdir(exist_ok=True)
    files = {"collocations.tab": encoder.tups2tab(sorted(parameters.collocations)),
             "sent_starters.txt": encoder.list2txt(sorted(parameters.sent_starters)),
             "abbrev_types.txt": encoder.list2txt(sorted(parameters.abbrev_types)),
             "ortho_context.tab": encoder.tups2tab((a, str(b)) for a, b in sorted(parameters.ortho_context.items()))}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


def main():
    parameters = train()
    save(parameters)
    tokenizer = PunktSentenceTokenizer(parameters)
    with open(HERE / "sentences.jsonl", "w", encoding="utf-8", newline="") as out:
        for text in [*EDGES, *random_texts(parameters)]:
            line = {"text": text, "sentences": tokenizer.tokenize(text)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
