#pragma once

#include <cstdint>
#include <optional>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Splits one file into pieces of complete documents. The cuts depend only on the file, and opening it at the
/// end of a piece yields the pieces after it. One thread at a time.
class PieceSource {
public:
    virtual ~PieceSource() = default;

    /// Returns nullopt at the end of the file. BadInput names the file.
    virtual Result<std::optional<CorpusPiece>> next() = 0;
    virtual CorpusFormat format() const = 0; ///< never Auto
    /// Returns the bytes of the file that next() has used, for progress.
    virtual std::uint64_t fileOffset() const = 0;
};

} // namespace trainyard
