#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace trainyard {

/// A token and the bytes of the text that it stands for.
struct AlignedPiece {
    std::int32_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Turns texts into ids, remembering what repeats. For one thread.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// Appends the ids of `text`, without those that frame a row ([CLS], an end of text and the like).
    virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) = 0;
};

/// A vocabulary with the rules that cut text into its pieces. Immutable; any thread may use it.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    /// An encoder for the calling thread. The tokenizer must outlive it.
    virtual std::unique_ptr<TextEncoder> encoder() const = 0;

    /// Appends the ids that an encoder yields, with their places in the text; slower. Where what happened to
    /// a part of the text hides which bytes became which token, its tokens have the place of the part.
    virtual void encodeAligned(std::string_view text, std::vector<AlignedPiece>& pieces) const = 0;
};

} // namespace trainyard
