#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/pretraining/token_span.h"

namespace trainyard {

/// A tokenized document: its word pieces and the end of each sentence. No sentence is empty.
struct Document {
    TokenSpan tokens;
    std::span<const std::uint32_t> sentenceEnds; ///< ascending; the last one is tokens.size()
    std::uint64_t textBytes = 0; ///< UTF-8 of its sentences, with a space or line feed behind each

    /// Of the text of the first `count` tokens: their share, because tokens do not keep their spelling.
    std::uint64_t textBytesOf(std::size_t count) const { return textBytes * count / tokens.size(); }
    std::size_t sentences() const { return sentenceEnds.size(); }
    TokenSpan sentence(std::size_t index) const
    {
        const std::uint32_t begin = index == 0 ? 0 : sentenceEnds[index - 1];
        return tokens.subspan(begin, sentenceEnds[index] - begin);
    }
};

/// Random access to documents by their ordinal in the dump. Implementations may be read from any thread.
class DocumentSource {
public:
    virtual ~DocumentSource() = default;
    virtual Document document(std::uint32_t ordinal) const = 0;
    /// Returns the number of tokens without opening the document.
    virtual std::uint32_t length(std::uint32_t ordinal) const = 0;
};

} // namespace trainyard
