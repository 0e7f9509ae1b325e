#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/text_encoder.h"

namespace trainyard {

/// Turns the pieces of a text into ids, remembering what repeats. For one thread.
class PieceEncoder {
public:
    virtual ~PieceEncoder() = default;

    /// Appends the ids of the piece, or does so later: in order, and no later than finish().
    virtual void add(std::string_view piece, std::vector<std::int32_t>& ids) = 0;
    virtual void finish(std::vector<std::int32_t>& ids) = 0;
};

/// The model of a tokenizer. Immutable; any thread may use it.
class PieceModel {
public:
    virtual ~PieceModel() = default;

    /// An encoder for the calling thread. The model must outlive it.
    virtual std::unique_ptr<PieceEncoder> encoder() const = 0;

    /// Appends the ids of the piece with the bytes of it that they stand for; all of it where that is hidden.
    virtual void encodeAligned(std::string_view piece, std::vector<AlignedPiece>& tokens) const = 0;
};

} // namespace trainyard
