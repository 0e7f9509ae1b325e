#include "datasets/input/piece_splitter.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/input/archives.h"
#include "datasets/input/dump_header.h"
#include "datasets/input/format_sniffer.h"
#include "datasets/input/page_scanner.h"
#include "datasets/input/raw_file.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSniffedBytes = 4096;

std::unique_ptr<DocumentScanner> makeScanner(CorpusFormat format)
{
    if (format == CorpusFormat::MediaWiki)
        return std::make_unique<PageScanner>();
    return makeTextScanner(format);
}

bool inTheMiddle(const CorpusPosition& position)
{
    return position.offset > 0 || position.skip > 0;
}

std::uint64_t linesIn(std::string_view text)
{
    return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

} // namespace

PieceSplitter::PieceSplitter(fs::path file, std::unique_ptr<ByteSource> source, CorpusPosition from)
    : m_file(std::move(file)), m_name(nameForMessages(m_file)), m_source(std::move(source))
{
    m_begin.file = m_position.file = from.file;
    m_begin.documents = m_position.documents = from.documents;
}

Result<PieceSplitter> PieceSplitter::open(const fs::path& file, CorpusFormat format,
                                          const ReadingMeans& means, CorpusPosition from)
{
    // The front of a file is always read: it determines the format and the namespaces of the wiki.
    TRAINYARD_TRY(auto source, openBytes(file, means));
    PieceSplitter splitter(file, std::move(source), from);
    TRAINYARD_TRY_STATUS(splitter.begin(format));
    if (inTheMiddle(from))
        TRAINYARD_TRY_STATUS(splitter.goOnAt(means, from));
    return splitter;
}

Status PieceSplitter::begin(CorpusFormat asked)
{
    while (!m_ended && waiting().size() < kSniffedBytes)
        TRAINYARD_TRY_STATUS(fetch());
    if (m_ended && isBlank(waiting()))
        return badInput(m_name + " is empty", "remove it from the list, or generate it again");
    TRAINYARD_TRY_STATUS(refuseArchives(waiting(), m_name)); // what is compressed may be one too
    m_format = asked;
    if (asked == CorpusFormat::Auto) {
        const auto format = sniffFormat(waiting().substr(0, kSniffedBytes));
        if (!format.ok())
            return format.error().in(m_name);
        m_format = format.value();
    }
    m_scanner = makeScanner(m_format);
    if (m_format == CorpusFormat::MediaWiki)
        return readHeader();
    return {};
}

Status PieceSplitter::readHeader()
{
    DumpHeader header;
    for (std::size_t fed = 0;;) {
        const auto size = header.feed(waiting().substr(fed), m_ended);
        if (!size.ok())
            return size.error().in(m_name);
        if (size.value()) {
            passBy(static_cast<std::size_t>(*size.value()));
            m_site = std::make_shared<SiteInfo>(header.takeSite());
            return {};
        }
        fed = waiting().size();
        if (fed > kMaxDocumentBytes)
            return badInput(m_name + ": no page starts in the first 64 MiB",
                            "use an export of pages, such as enwiki-latest-pages-articles.xml.bz2");
        TRAINYARD_TRY_STATUS(fetch());
    }
}

Status PieceSplitter::goOnAt(const ReadingMeans& means, const CorpusPosition& from)
{
    TRAINYARD_TRY(m_source, openBytes(m_file, means, from.offset));
    m_text.clear();
    m_used = 0;
    m_offset = 0;
    m_marks.clear();
    m_ended = false;
    TRAINYARD_TRY_STATUS(fetch());
    std::uint64_t skip = from.skip - (m_marks.empty() ? 0 : m_marks.front().skip);
    while (skip > 0 && !(m_ended && waiting().empty())) {
        const std::size_t bytes = std::min<std::uint64_t>(skip, waiting().size());
        passBy(bytes);
        skip -= bytes;
        if (skip > 0)
            TRAINYARD_TRY_STATUS(fetch());
    }
    if (skip > 0)
        return badInput(m_name + " has become shorter since reading started",
                        "start again with the current file");
    m_begin = m_position = from;
    return {};
}

Status PieceSplitter::fetch()
{
    m_text.erase(0, std::exchange(m_used, 0));
    auto chunk = m_source->next();
    if (!chunk.ok())
        return problem(chunk.error());
    m_ended = !chunk.value();
    if (m_ended)
        return {};
    m_marks.push_back({m_offset + m_text.size(), chunk.value()->restart, chunk.value()->skip});
    if (m_text.empty())
        m_text = std::move(chunk.value()->bytes);
    else
        m_text += chunk.value()->bytes;
    return {};
}

/// Advances the start of the waiting bytes.
void PieceSplitter::passBy(std::size_t bytes)
{
    m_position.lines += linesIn(waiting().substr(0, bytes));
    m_used += bytes;
    m_offset += bytes;
    while (m_marks.size() > 1 && m_marks[1].textOffset <= m_offset)
        m_marks.pop_front();
    if (m_marks.empty())
        return;
    m_position.offset = m_marks.front().restart;
    m_position.skip = m_marks.front().skip + (m_offset - m_marks.front().textOffset);
}

Result<std::optional<CorpusPiece>> PieceSplitter::next()
{
    while (m_pieceBytes < kPieceBytes) {
        const std::string_view rest = waiting().substr(m_pieceBytes);
        const auto end = m_scanner->findEnd(rest, m_ended);
        if (!end.ok())
            return problem(end.error());
        if (m_inLongDocument || end->value_or(rest.size()) > kMaxDocumentBytes) {
            if (m_pieceBytes > 0)
                break; // the long one opens the next piece
            TRAINYARD_TRY_STATUS(leaveOutLongDocument(end.value()));
        } else if (end.value()) {
            m_pieceBytes += *end.value();
            ++m_pieceDocuments;
        }
        if (end.value())
            continue;
        if (m_ended && m_pieceBytes == 0 && m_skipped.empty())
            return std::optional<CorpusPiece>();
        if (m_ended)
            break;
        TRAINYARD_TRY_STATUS(fetch());
    }
    return std::optional(cut());
}

/// Drops the part read so far of a long document, and counts the document at its end.
Status PieceSplitter::leaveOutLongDocument(std::optional<std::size_t> end)
{
    if (m_format == CorpusFormat::Sentences)
        return problem(badInput("a document is longer than 64 MiB",
                                "in this format an empty line ends each document; add the missing ones"));
    passBy(end ? *end : m_scanner->release());
    m_inLongDocument = !end;
    if (end) {
        ++m_position.documents;
        ++m_skipped[m_format == CorpusFormat::MediaWiki ? "pages_too_long" : "documents_too_long"];
    } else if (waiting().size() > kMaxDocumentBytes) {
        return problem(
            badInput("a comment or tag does not end within 64 MiB", "the file is damaged; fetch it again"));
    }
    return {};
}

CorpusPiece PieceSplitter::cut()
{
    CorpusPiece piece;
    piece.bytes = waiting().substr(0, m_pieceBytes);
    piece.format = m_format;
    piece.site = m_site;
    piece.begin = m_begin;
    piece.firstDocument = m_position.documents;
    piece.firstLine = m_position.lines;
    piece.skipped = std::exchange(m_skipped, {});
    piece.file = m_name;
    piece.after = std::exchange(m_after, m_scanner->position());
    passBy(std::exchange(m_pieceBytes, 0));
    m_position.documents += std::exchange(m_pieceDocuments, 0);
    piece.end = m_begin = m_position;
    return piece;
}

Error PieceSplitter::problem(const Error& error) const
{
    return error.in(m_scanner ? m_name + ": " + place() : m_name);
}

std::string PieceSplitter::place() const
{
    if (m_format != CorpusFormat::MediaWiki)
        return fmt::format("after line {}", m_position.lines + linesIn(waiting().substr(0, m_pieceBytes)));
    const std::string page = m_scanner->position();
    if (!page.empty())
        return page;
    return m_begin.documents == 0 ? "before the first page" : "before the first page of this file";
}

} // namespace trainyard
