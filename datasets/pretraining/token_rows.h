#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "datasets/pretraining/documents.h"
#include "datasets/pretraining/instance.h"
#include "datasets/pretraining/pass_counts.h"
#include "datasets/tokenizer/vocabulary.h"
#include "engine/base/result.h"

namespace trainyard {

/// Rows of running text for GPT. Every pass is a stream of all documents in its own order, with a separator
/// after each document, if there is one; rows are consecutive pieces of the concatenated passes, of exactly
/// the sequence length. The remainder after the last complete row is dropped.
///
/// The stream is never stored: a row is found by binary search in sums of document lengths. Memory: 4 bytes
/// per document and pass. The content of a row depends only on (seed, documents, passes). Immutable; any
/// thread.
class TokenRows {
public:
    /// `ordinals` and `documents` must outlive this; `separator` is a token's id or SpecialTokens::kNone.
    TokenRows(const InstanceSettings& settings, const DocumentSource& documents,
              std::span<const std::uint32_t> ordinals, const PassCounts& passes, std::int32_t separator);

    std::uint64_t rows() const { return m_tokens / m_length; }
    /// Number of tokens after the last complete row.
    std::uint64_t droppedTokens() const { return m_tokens % m_length; }

    /// Calls visit(tokens, bytes of their text) for the rows first .. first + count - 1, in order, each of
    /// the sequence length; the tokens are valid during the call. All rows of a document together have the
    /// bytes of its text. Stops at the first failure. Opens a document once for all of its rows.
    using Visit = std::function<Status(std::span<const std::int32_t> tokens, std::uint64_t textBytes)>;
    Status visit(std::uint64_t first, std::uint64_t count, const Visit& visit) const;

private:
    class Walk;

    std::vector<std::uint32_t> orderOfPass(std::span<const std::uint32_t> ordinals, std::uint64_t seed,
                                           std::uint32_t pass) const;
    std::uint64_t lengthAt(std::size_t place) const
    {
        return m_documents.length(m_order[place]) + (m_separator == SpecialTokens::kNone ? 0u : 1u);
    }

    const DocumentSource& m_documents;
    std::uint64_t m_length; ///< tokens per row
    std::int32_t m_separator;
    std::vector<std::uint32_t> m_order;  ///< ordinals of all passes, one after the other
    std::vector<std::uint64_t> m_begins; ///< offset in the stream of every kStride-th document of m_order
    std::uint64_t m_tokens = 0;          ///< in the stream
};

} // namespace trainyard
