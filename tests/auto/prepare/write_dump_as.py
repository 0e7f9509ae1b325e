#!/usr/bin/env python3
"""Writes the pages of a MediaWiki export again in another form; what they say stays the same.

Usage: write_dump_as.py FORM DUMP OUT...     DUMP may be bzip2; parts writes one file per OUT
FORM: plain, bzip2, small-blocks, multistream, parts, utf-16-le, utf-16-be, bom, crlf, no-siteinfo, many-streams
"""
import bz2
import codecs
import sys

PAGE, END = b"<page>", b"</page>"


def halves(dump):
    """Before the first page, the pages, behind the last one."""
    begin, end = dump.index(PAGE), dump.rindex(END) + len(END)
    return dump[:begin], [page + END for page in dump[begin:end].split(END)[:-1]], dump[end:]


def multistream(dump, pages_per_stream):
    head, pages, tail = halves(dump)
    groups = [b"".join(pages[i:i + pages_per_stream]) for i in range(0, len(pages), pages_per_stream)]
    return b"".join(bz2.compress(stream) for stream in (head, *groups, tail))


def parts(dump, count):
    """Each a whole export, with consecutive pages."""
    head, pages, tail = halves(dump)
    size = -(-len(pages) // count)
    return [head + b"".join(pages[i * size:(i + 1) * size]) + tail for i in range(count)]


def without_siteinfo(dump):
    head, pages, tail = halves(dump)
    begin, end = head.index(b"<siteinfo>"), head.index(b"</siteinfo>") + len(b"</siteinfo>")
    return head[:begin] + head[end:] + b"".join(pages) + tail


FORMS = {
    "plain": lambda dump: dump,
    "bzip2": bz2.compress,
    "small-blocks": lambda dump: bz2.compress(dump, 1),
    "multistream": lambda dump: multistream(dump, 100),
    "many-streams": lambda dump: b"".join(bz2.compress(dump[i:i + 50000]) for i in range(0, len(dump), 50000)),
    "utf-16-le": lambda dump: codecs.BOM_UTF16_LE + dump.decode().encode("utf-16-le"),
    "utf-16-be": lambda dump: codecs.BOM_UTF16_BE + dump.decode().encode("utf-16-be"),
    "bom": lambda dump: codecs.BOM_UTF8 + dump,
    "crlf": lambda dump: dump.replace(b"\n", b"\r\n"),
    "no-siteinfo": without_siteinfo,
}


def main(form, source, *outs):
    with open(source, "rb") as file:
        dump = file.read()
    if dump.startswith(b"BZh"):
        dump = bz2.decompress(dump)
    contents = parts(dump, len(outs)) if form == "parts" else [FORMS[form](dump)]
    for out, content in zip(outs, contents, strict=True):
        with open(out, "wb") as file:
            file.write(content)


main(*sys.argv[1:])
