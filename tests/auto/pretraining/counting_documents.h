#pragma once

#include <numeric>
#include <vector>

#include "datasets/pretraining/documents.h"

namespace trainyard {

/// Documents whose tokens tell where they come from: ids count up through all documents from 10 on.
class CountingDocuments final : public DocumentSource {
public:
    /// Lengths of the sentences, per document; bytes of the text of each.
    explicit CountingDocuments(const std::vector<std::vector<int>>& lengths, std::uint64_t textBytes = 0)
        : m_textBytes(textBytes)
    {
        std::int32_t id = 10;
        for (const auto& document : lengths) {
            Stored& stored = m_documents.emplace_back();
            for (const int length : document) {
                for (int i = 0; i < length; ++i)
                    stored.tokens.push_back(id++);
                stored.ends.push_back(static_cast<std::uint32_t>(stored.tokens.size()));
            }
        }
    }
    Document document(std::uint32_t ordinal) const override
    {
        return {m_documents[ordinal].tokens, m_documents[ordinal].ends, m_textBytes};
    }
    std::uint32_t length(std::uint32_t ordinal) const override
    {
        return static_cast<std::uint32_t>(m_documents[ordinal].tokens.size());
    }
    std::vector<std::uint32_t> all() const
    {
        std::vector<std::uint32_t> ordinals(m_documents.size());
        std::iota(ordinals.begin(), ordinals.end(), 0u);
        return ordinals;
    }
    std::size_t documentOf(std::int32_t id) const
    {
        for (std::size_t i = 0; i < m_documents.size(); ++i) {
            if (id >= m_documents[i].tokens.front() && id <= m_documents[i].tokens.back())
                return i;
        }
        return m_documents.size();
    }

private:
    struct Stored {
        std::vector<std::int32_t> tokens;
        std::vector<std::uint32_t> ends;
    };
    std::uint64_t m_textBytes;
    std::vector<Stored> m_documents;
};

} // namespace trainyard
