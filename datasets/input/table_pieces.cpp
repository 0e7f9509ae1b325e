#include "datasets/input/table_pieces.h"

#include "datasets/input/document_id.h"
#include "datasets/input/piece_splitter.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

constexpr std::size_t kBytesPerRow =
    64; ///< counted beside its text, so that a piece ends where rows have none

std::uint64_t idOfRow(const TableRow& row, std::uint64_t number)
{
    if (row.number)
        return *row.number;
    return row.id ? idOfText(*row.id) : number;
}

bool isTooLong(const TableRow& row)
{
    return row.text && row.text->size() > kMaxDocumentBytes;
}

} // namespace

Result<TablePieces> TablePieces::open(const std::filesystem::path& path, TableKind kind,
                                      const std::string& column, const CorpusPosition& from)
{
    TRAINYARD_TRY(TableFile file, TableFile::open(path, kind, column, {from.offset, from.skip}));
    return TablePieces(path.string(), kind, std::move(file), from);
}

/// Fetches the next row, if none is waiting; false at the end.
Result<bool> TablePieces::fetch()
{
    if (!m_fetched) {
        TRAINYARD_TRY(m_fetched, m_file.next(m_row));
    }
    return m_fetched;
}

/// Makes the fetched row part of the piece, unless it has no text.
void TablePieces::take(CorpusPiece& piece)
{
    if (!m_row.text || isBlank(*m_row.text))
        ++piece.skipped["documents_without_text"];
    else
        piece.rows.push_back({idOfRow(m_row, m_position.documents), std::string(m_row.title.value_or("")),
                              std::string(*m_row.text), CorpusDocument::Kind::Paragraphs});
    passBy();
}

void TablePieces::passBy()
{
    const TablePlace place = m_file.place();
    m_position.offset = place.group;
    m_position.skip = place.row;
    ++m_position.documents;
    m_fetched = false;
}

Status TablePieces::passLongRows(CorpusPiece& piece)
{
    for (;;) {
        TRAINYARD_TRY(const bool more, fetch());
        if (!more || !isTooLong(m_row))
            return {};
        ++piece.skipped["documents_too_long"];
        passBy();
    }
}

Result<std::optional<CorpusPiece>> TablePieces::next()
{
    CorpusPiece piece;
    piece.format = format();
    piece.site = std::make_shared<SiteInfo>();
    piece.file = m_name;
    piece.begin = m_position;
    TRAINYARD_TRY_STATUS(passLongRows(piece));
    piece.firstDocument = m_position.documents;
    for (std::size_t bytes = 0; bytes < PieceSplitter::kPieceBytes;) {
        TRAINYARD_TRY(const bool more, fetch());
        if (!more || isTooLong(m_row))
            break; // a long one opens the next piece
        bytes += kBytesPerRow + (m_row.text ? m_row.text->size() : 0);
        take(piece);
    }
    piece.end = m_position;
    if (piece.end.documents == piece.begin.documents)
        return std::optional<CorpusPiece>();
    return std::optional(std::move(piece));
}

} // namespace trainyard
