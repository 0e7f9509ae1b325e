#!/usr/bin/env python3
"""Writes small MediaWiki exports that are odd in one way each, and what is to come of them.

Usage: write_odd_dumps.py FOLDER     FOLDER/<name> for each, and FOLDER/expected.json:
       {name: {"documents": n} or {"said": "part of the message"}}
"""
import bz2
import json
import os
import random
import sys

ENGLISH = ("The river runs through the old town.", "Its water is cold in winter.", "Many people walk along its banks.",
           "In 1920 a bridge was built by Mr. Smith.", "It cost 3.5 million pounds.", "Birds nest under the arches.")
LANGUAGES = {
    "Chinese": "这条河流经老城。冬天的水很冷。许多人沿着河岸散步。1920年建造了一座桥。",
    "Japanese": "この川は旧市街を流れています。冬の水は冷たいです。橋は1920年に建てられました。",
    "Korean": "강은 구시가지를 흐른다. 겨울에는 물이 차갑다. 다리는 1920년에 지어졌다.",
    "Arabic": "يمر النهر عبر المدينة القديمة. الماء بارد في الشتاء. يمشي كثير من الناس على ضفافه؟",
    "Hebrew": "הנהר זורם דרך העיר העתיקה. המים קרים בחורף. הגשר נבנה בשנת 1920.",
    "Hindi": "नदी पुराने शहर से होकर बहती है। सर्दियों में पानी ठंडा होता है। पुल 1920 में बनाया गया था।",
    "Thai": "แม่น้ำไหลผ่านเมืองเก่า น้ำเย็นในฤดูหนาว ผู้คนจำนวนมากเดินเล่นริมฝั่ง สะพานสร้างในปี 1920",
    "Russian": "Река протекает через старый город. Зимой вода холодная. Мост был построен в 1920 г. инженером.",
    "German": "Der Fluss fließt durch die Altstadt. Das Wasser ist im Winter z. B. sehr kalt. Am 3. Mai 1920 kam die Brücke.",
    "Greek": "Ο ποταμός διασχίζει την παλιά πόλη. Το νερό είναι κρύο τον χειμώνα. Ποιος έχτισε τη γέφυρα;",
}
PAGES = 12
rng = random.Random(3)


def text():
    return " ".join(rng.choice(ENGLISH) for _ in range(6))


def page(number, content, namespace="0", model="wikitext", attributes="", inside="", revisions=1):
    kind = f"<model>{model}</model><format>text/x-wiki</format>" if model else ""
    old = "".join(f"<revision><id>{n}</id><text>An older text. It is gone.</text></revision>" for n in range(revisions - 1))
    return (f"  <page>\n    <title>Page {number}</title>\n    <ns>{namespace}</ns>\n    <id>{number}</id>{inside}\n    {old}"
            f"<revision>\n      <id>{number}1</id>\n      {kind}\n      <text{attributes}>{content}</text>\n    </revision>\n"
            "  </page>\n")


def dump(*more, pages=None, version="0.10", siteinfo=True, namespace=True, head=""):
    pages = [page(i + 1, text()) for i in range(PAGES)] if pages is None else pages
    name = f' xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="en"' if namespace else ""
    site = ("  <siteinfo><sitename>W</sitename><namespaces><namespace key=\"0\" /></namespaces></siteinfo>\n"
            if siteinfo else "")
    return f"{head}<mediawiki{name}>\n{site}{''.join(pages)}{''.join(more)}</mediawiki>\n"


def documents():
    """Dumps that can be read, and how many documents they have."""
    for version in ("0.3", "0.8", "0.9", "0.11", "0.12"):
        model = None if version < "0.8" else "wikitext"
        yield f"version {version}", dump(pages=[page(i + 1, text(), model=model) for i in range(PAGES)], version=version), PAGES
    for language, content in LANGUAGES.items():
        yield language, dump(pages=[page(i + 1, content) for i in range(PAGES)]), PAGES
    yield "no siteinfo", dump(siteinfo=False), PAGES
    yield "no XML namespace", dump(namespace=False), PAGES
    yield "declaration and comment", dump(head='<?xml version="1.0" encoding="utf-8"?>\n<!-- made by hand -->\n'), PAGES
    yield "document type", dump(head='<?xml version="1.0"?>\n<!DOCTYPE mediawiki>\n'), PAGES
    yield "CDATA", dump().replace("<text>", "<text><![CDATA[").replace("</text>", "]]></text>"), PAGES
    yield "carriage returns", dump().replace("\n", "\r"), PAGES
    yield "UTF-16 without mark", dump().encode("utf-16-le"), PAGES
    yield "pages without text", dump(page(50, ""), page(51, "  \n"), page(52, "gone", attributes=' deleted="deleted"'),
                                     "<page><title>x</title><ns>0</ns><id>53</id></page>",
                                     "<page><title>x</title><ns>0</ns><id>54</id><revision><id>1</id></revision></page>"), PAGES
    yield "other models", dump(*(page(60 + i, "Some text. And more.", model=model) for i, model in
                                 enumerate(("json", "css", "javascript", "Scribunto", "text")))), PAGES
    yield "other namespaces", dump(page(70, text(), namespace="1"), page(71, text(), namespace="-2")), PAGES
    yield "redirects", dump(page(80, "#REDIRECT [[A]]", inside='<redirect title="A" />'), page(81, "#redirect [[A]]")), PAGES
    yield "older revisions", dump(pages=[page(i + 1, text(), revisions=3) for i in range(PAGES)]), PAGES
    yield "page ids twice", dump(pages=[page(1 + i % 6, text()) for i in range(PAGES)]), PAGES
    yield "page ids in reverse", dump(pages=[page(PAGES - i, text()) for i in range(PAGES)]), PAGES
    yield "page ids of all sizes", dump(*(page(i, text()) for i in (0, 2**31, 2**32 + 1, 2**63 + 5, 2**64 - 1))), PAGES + 5
    yield "page ids that are none", dump(*(page(i, text()) for i in ("abc", "", "-4", "9" * 30))), PAGES + 4
    yield "broken UTF-8", dump().encode().replace(b"river", b"riv\xff\xfer"), PAGES
    yield "a long page", dump(page(90, "\n\n".join(text() for _ in range(3000)))), PAGES + 1
    yield "a long sentence", dump(page(91, "word " * 200000 + ".")), PAGES + 1
    yield "a long word", dump(page(92, "a" * 1000000)), PAGES
    yield "markup that does not end", dump(*(page(100 + i, markup * 20000) for i, markup in enumerate((
        "{{", "}}", "[[", "]]", "{|", "&lt;b&gt;", "&lt;ref&gt;", "&lt;!--", "{{a|", "'''", "[[File:", "&lt;nowiki&gt;")))), PAGES
    yield "names of special tokens", dump(page(93, "The [SEP] and [CLS] and [MASK]. [PAD] [UNK] are words here. [SEP][SEP]")), PAGES + 1
    yield "odd characters", dump(page(94, "Tab\there. NBSP\u00a0joiner\u200dmark\ufeff line\u2028break \u202e right. \U0001F600 smiles. "
                                          "&amp;nbsp; &amp;#0; &amp;#xD800; &amp;#99999999; end. It goes on.")), PAGES + 1


def errors():
    """Files that are not, and a part of what is said about them."""
    whole = bz2.compress(dump(pages=[page(i + 1, text()) for i in range(300)]).encode())
    middle = len(whole) // 2
    yield "empty file", "", "is empty"
    yield "no pages", dump(pages=[]), "no document of the corpus"
    yield "HTML", "<html><body><p>Not found</p></body></html>", "HTML"
    yield "other text", "hello world\n" * 100, "cannot recognize"
    yield "end is missing", dump()[:-400], "truncated"
    yield "two dumps in one", dump() + dump(), "there is text after"
    yield "NUL", dump().replace("river", "ri\0er"), "damaged"
    yield "Latin-1", dump(head='<?xml version="1.0" encoding="ISO-8859-1"?>\n'), "ISO-8859-1"
    yield "entities that grow", dump(page(9, "&b;"), head='<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'), "damaged"
    yield "foreign file", dump(page(9, "&x;"), head='<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "damaged"
    yield "bzip2 cut at the end", whole[:-5], "ends unexpectedly"
    yield "bzip2 cut in the middle", whole[:middle], "ends unexpectedly"
    yield "bzip2 cut at the beginning", whole[:4], "ends unexpectedly"
    yield "bzip2 with a wrong bit", whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1:], "damaged"


def main(folder):
    expected = {}
    for name, content, count in documents():
        expected[name] = {"documents": count}
        write(folder, name, content)
    for name, content, said in errors():
        expected[name] = {"said": said}
        write(folder, name, content)
    write(folder, "expected.json", json.dumps(expected))


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


main(*sys.argv[1:])
