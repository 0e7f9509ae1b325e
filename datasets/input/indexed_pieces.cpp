#include "datasets/input/indexed_pieces.h"

#include "datasets/input/piece_splitter.h"

namespace trainyard {

namespace {

constexpr std::uint64_t kDocumentsBetweenReleases = 1024;

} // namespace

Result<IndexedPieces> IndexedPieces::open(const std::filesystem::path& index, const CorpusPosition& from)
{
    TRAINYARD_TRY(IndexedDataset set, IndexedDataset::open(index));
    return IndexedPieces(index.string(), std::move(set), from);
}

Result<std::optional<CorpusPiece>> IndexedPieces::next()
{
    if (m_position.offset >= m_set.documents())
        return std::optional<CorpusPiece>();
    CorpusPiece piece;
    piece.format = format();
    piece.site = std::make_shared<SiteInfo>();
    piece.file = m_name;
    piece.begin = m_position;
    piece.firstDocument = m_position.documents;
    for (std::size_t bytes = 0;
         bytes < PieceSplitter::kPieceBytes && m_position.offset < m_set.documents();) {
        TRAINYARD_TRY(auto ids, m_set.document(m_position.offset));
        bytes += (ids.size() + 1) * sizeof ids[0];
        piece.rows.push_back({m_position.documents, {}, {}, CorpusDocument::Kind::Tokens, std::move(ids)});
        ++m_position.documents;
        if (++m_position.offset % kDocumentsBetweenReleases == 0)
            m_set.release();
    }
    piece.end = m_position;
    return std::optional(std::move(piece));
}

std::uint64_t IndexedPieces::fileOffset() const
{
    const auto documents = static_cast<double>(m_set.documents());
    const double share = documents > 0 ? static_cast<double>(m_position.offset) / documents : 1;
    return static_cast<std::uint64_t>(share * static_cast<double>(m_set.bytes()));
}

} // namespace trainyard
