#pragma once

#include "datasets/input/indexed_dataset.h"
#include "datasets/input/piece_source.h"

namespace trainyard {

/// The documents of a Megatron data set, as token ids. Their id is their number in the corpus.
class IndexedPieces final : public PieceSource {
public:
    /// `from` is a position in this file.
    static Result<IndexedPieces> open(const std::filesystem::path& index, const CorpusPosition& from);

    Result<std::optional<CorpusPiece>> next() override;
    CorpusFormat format() const override { return CorpusFormat::Megatron; }
    std::uint64_t fileOffset() const override;

private:
    IndexedPieces(std::string name, IndexedDataset set, const CorpusPosition& from)
        : m_name(std::move(name)), m_set(std::move(set)), m_position(from)
    {
    }

    std::string m_name;
    IndexedDataset m_set;
    CorpusPosition m_position; ///< `offset`: documents of the file before it
};

} // namespace trainyard
