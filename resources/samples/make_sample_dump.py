#!/usr/bin/env python3
"""Writes the sample dump: a small made-up encyclopedia of railways in MediaWiki's export format.

Usage: make_sample_dump.py trainyard-sample.xml.bz2

The same program gives the same bytes everywhere. The text is written by the Trainyard authors and carries
Trainyard's licence; it has the markup that real dumps have (templates, tables, footnotes, links, pictures,
comments, entities, formulas, redirects, a talk page), so that every part of the cleaner meets work.
"""
import bz2
import re
import sys
from xml.sax.saxutils import escape

import phrases

SEED = 20261121


class Random:
    """A generator of our own (xorshift64*), so that the dump does not depend on the version of Python."""

    def __init__(self, seed):
        self.state = seed * 2685821657736338717 % 2**64 or 1

    def below(self, limit):
        self.state ^= self.state >> 12
        self.state = (self.state ^ (self.state << 25)) % 2**64
        self.state ^= self.state >> 27
        return (self.state * 2685821657736338717 % 2**64 >> 33) % limit

    def choice(self, items):
        return items[self.below(len(items))]

    def between(self, first, last):
        return first + self.below(last - first + 1)

    def sample(self, items, count):
        rest, out = list(items), []
        while rest and len(out) < count:
            out.append(rest.pop(self.below(len(rest))))
        return out


HEADS = "Al Bar Cor Dun Elm Fal Gar Hol Ives Kel Lor Mar Nor Os Pel Quen Ros Sel Tor Ul Ver Wes Yar Zel".split()
TAILS = "by dale ford gate ham holm ing ley mere mouth stead ton vik wick worth".split()
FIRST = "Ada Anton Berta Carl Dora Emil Frida Georg Hanna Ivo Jana Karl Lena Max Nora Otto Paula Rosa Tom Vera".split()
LAST = "Abel Brandt Clausen Dahl Engel Falk Grimm Holst Iversen Jung Kern Lund Moller Norden Olsen Peters Quist Rask Stein Thal Voss Weber".split()
REGIONS = ["Upper Valdren", "Lower Valdren", "Eastmark", "Westmark", "the Lake Country", "the Salt Coast"]
MONTHS = "January February March April May June July August September October November December".split()
COMPANY_KINDS = ["Railway Company", "and Coast Railway", "Northern Railway", "Valley Railway"]


class World:
    """All names, so that articles link to each other."""

    def __init__(self, rng):
        names = [head + tail for head in HEADS for tail in TAILS]
        names = rng.sample(names, len(names))
        self.town = names[:110]
        self.river = ["River " + head + tail for head, tail in zip(HEADS, ["e", "ara", "on", "ine"] * 6)]
        self.person = [first + " " + last for first in FIRST for last in rng.sample(LAST, 3)]
        self.line = ["%s\u2013%s railway" % tuple(rng.sample(self.town, 2)) for _ in range(50)]
        self.bridge = ["%s Bridge" % name for name in rng.sample(self.town, 36)]
        self.train = ["Class %s %d" % (rng.choice("ABDEKRST"), number) for number in range(10, 250, 6)]
        self.company = ["%s %s" % (town, rng.choice(COMPANY_KINDS)) for town in rng.sample(self.town, 24)]


class Writer:
    """One article."""

    def __init__(self, rng, world, title):
        self.rng, self.title = rng, title
        year = rng.between(1838, 1905)
        woman = rng.below(2)
        self.slots = {
            "title": title, "region": rng.choice(REGIONS), "latin": title.replace(" ", "") + "um",
            "early": rng.between(1180, 1790), "year": year, "late": year + rng.between(18, 90),
            "km": rng.between(4, 180), "people": "{:,}".format(rng.between(300, 48000)), "height": rng.between(12, 900),
            "degrees": rng.between(14, 24), "metres": rng.between(90, 2400), "gradient": rng.between(30, 90),
            "minutes": rng.between(12, 95), "weight": rng.between(18, 120), "speed": rng.between(40, 160),
            "count": rng.between(3, 99), "day": "%d %s" % (rng.between(1, 28), rng.choice(MONTHS)),
            "she": "She" if woman else "He", "he": "she" if woman else "he", "his": "her" if woman else "his",
            "his_cap": "Her" if woman else "His",
        }
        towns = rng.sample([t for t in world.town if t != title], 3)
        self.slots.update(town=towns[0], town2=towns[1], town3=towns[2])
        for kind in ("river", "person", "line", "bridge", "train", "company"):
            self.slots[kind] = rng.choice([name for name in getattr(world, kind) if name != title])

    def sentence(self, template):
        text = re.sub(r"<<(.*?)>>", lambda m: self.rng.choice(m.group(1).split("|")), template)
        return text.format(ref=self.footnote(), **self.slots)

    def footnote(self):
        kind = self.rng.below(4)
        author, page = self.rng.choice(LAST), self.rng.between(3, 410)
        if kind == 0:
            return '<ref name="%s">{{cite book |last=%s |title=Lines and Stations |year=%d |page=%d}}</ref>' % (author, author, self.slots["late"], page)
        if kind == 1:
            return "<ref>%s, ''The Railways of Valdren'', p. %d.</ref>" % (author, page)
        return '<ref name="%s" />' % author if kind == 2 else ""

    def paragraphs(self, templates, count):
        chosen = self.rng.sample(templates, count)
        middle = (len(chosen) + 1) // 2
        parts = [chosen[:middle], chosen[middle:]] if count > 3 else [chosen]
        return "\n\n".join(" ".join(self.sentence(t) for t in part) for part in parts if part)

    def section(self, heading, templates):
        count = self.rng.between(3, len(templates))
        return "== %s ==\n%s\n" % (heading, self.paragraphs(templates, count))

    def infobox(self, kind, rows):
        lines = ["| %s = %s" % (key, self.slots[value]) for key, value in rows]
        return "{{Infobox %s\n| name = %s\n%s\n}}\n" % (kind, self.title, "\n".join(lines))

    def table(self):
        rows = ["|-\n| %d || %s || align=\"right\" | %d" % (self.slots["year"] + 10 * i, self.rng.choice(MONTHS), self.rng.between(100, 9000)) for i in range(4)]
        return '{| class="wikitable"\n! Year !! Month !! Passengers\n%s\n|}\n' % "\n".join(rows)

    def extras(self):
        s = self.slots
        pieces = [
            "[[File:%s.jpg|thumb|right|View of '''%s''' with the [[%s]]]]\n" % (self.title, self.title, s["river"]),
            "<!-- %s: check the date of the opening -->\n" % self.title,
            self.table(),
            "The notice reads <nowiki>[[No entry]] & {{danger}}</nowiki>, in letters of {{convert|12|cm|in}}.\n\n",
            "<gallery>\nFile:%s old.jpg|The old station\nFile:%s new.jpg|The new station\n</gallery>\n" % (self.title, self.title),
            "* [[%s]]\n* [[%s]] &mdash; the nearest station\n* [[%s|a bridge]]\n\n" % (s["town"], s["town2"], s["bridge"]),
            "Fares were {{GBP|%d}} in the third class&nbsp;&ndash; about as much as a day&#39;s wage.\n\n" % self.rng.between(1, 9),
        ]
        return self.rng.sample(pieces, 2)

    def tail(self, category):
        return ("== See also ==\n* [[%s]]\n* [[%s]]\n\n== References ==\n{{reflist|2}}\n\n== External links ==\n"
                "* [http://www.example.org/%d %s in pictures]\n\n[[Category:%s]]\n[[Category:%s|%s]]\n"
                % (self.slots["town"], self.slots["line"], self.rng.between(1, 9999), self.title, category, self.slots["region"], self.title))

    def article(self, kind, rows, lead, sections, category):
        extra = self.extras()
        text = self.infobox(kind, rows) + self.sentence(self.rng.choice(lead)) + " "
        text += self.paragraphs(sections[0][1], 2) + "\n\n" + extra[0]
        for i, (heading, templates) in enumerate(sections):
            text += self.section(heading, templates) + "\n" + (extra[1] if i == 0 else "")
        return text + self.tail(category)


KINDS = [
    ("town", "settlement", [("river", "river"), ("population", "people"), ("elevation_m", "height")], phrases.TOWN_LEAD,
     [("History", phrases.TOWN_HISTORY), ("Geography", phrases.TOWN_GEOGRAPHY)], "Towns of Valdren"),
    ("line", "rail line", [("length_km", "km"), ("opened", "year")], phrases.LINE_LEAD,
     [("History", phrases.LINE_HISTORY), ("Route", phrases.LINE_ROUTE)], "Railway lines"),
    ("train", "locomotive", [("builddate", "year"), ("maxspeed", "speed")], phrases.TRAIN_LEAD,
     [("Design", phrases.TRAIN_DESIGN), ("Service", phrases.TRAIN_SERVICE)], "Locomotives"),
    ("person", "person", [("birth_place", "town"), ("occupation", "company")], phrases.PERSON_LEAD,
     [("Life", phrases.PERSON_LIFE), ("Work", phrases.PERSON_WORK)], "Engineers"),
    ("bridge", "bridge", [("crosses", "river"), ("length_m", "metres")], phrases.BRIDGE_LEAD, [("Description", phrases.BRIDGE_BODY)], "Bridges"),
    ("river", "river", [("length_km", "km")], phrases.RIVER_LEAD, [("Course", phrases.RIVER_BODY)], "Rivers"),
    ("company", "company", [("foundation", "year"), ("location", "town")], phrases.COMPANY_LEAD, [("History", phrases.COMPANY_BODY)], "Companies"),
]


def pages(rng, world):
    """(title, namespace, model, redirect target or None, text)"""
    out = []
    for names, kind, rows, lead, sections, category in KINDS:
        for title in getattr(world, names):
            text = Writer(rng, world, title).article(kind, rows, lead, sections, category)
            out.append((title, 0, "wikitext", None, text))
            if rng.below(7) == 0:
                other = title.upper() if names != "person" else title.split()[1] + ", " + title.split()[0]
                out.append((other, 0, "wikitext", title, "#REDIRECT [[%s]] {{R from other name}}" % title))
    out = rng.sample(out, len(out))
    out.insert(3, ("Talk:" + world.town[0], 1, "wikitext", None, "Is the date of the flood right? ~~~~"))
    out.insert(9, ("Template:Infobox bridge", 10, "wikitext", None, "<includeonly>{{{name}}}</includeonly>"))
    out.insert(12, ("MediaWiki:Common.css", 8, "css", None, ".wikitable { border: 1px solid }"))
    return out


PAGE = """  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>{id}</id>
{redirect}    <revision>
      <id>{revision}</id>
      <timestamp>2026-11-21T00:00:00Z</timestamp>
      <contributor><username>Trainyard</username><id>1</id></contributor>
      <model>{model}</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
HEADER = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">
  <siteinfo>
    <sitename>Sample encyclopedia of Trainyard</sitename>
    <dbname>trainyard_sample</dbname>
  </siteinfo>
"""


def main():
    rng = Random(SEED)
    parts = [HEADER]
    for number, (title, ns, model, target, text) in enumerate(pages(rng, World(rng)), start=1):
        redirect = "    <redirect title=\"%s\" />\n" % escape(target, {'"': "&quot;"}) if target else ""
        parts.append(PAGE.format(title=escape(title), ns=ns, id=number, redirect=redirect, revision=100000 + number, model=model, text=escape(text)))
    parts.append("</mediawiki>\n")
    with open(sys.argv[1], "wb") as out:
        out.write(bz2.compress("".join(parts).encode("utf-8"), 9))


if __name__ == "__main__":
    main()
