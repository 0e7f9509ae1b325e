#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "datasets/prepare/spill_file.h"
#include "datasets/pretraining/documents.h"

namespace trainyard {

/// A page after tokenization.
struct TokenizedDocument {
    std::uint64_t pageId = 0;
    std::vector<std::int32_t> tokens;
    std::vector<std::uint32_t> sentenceEnds;
};

/// All documents of the data set in a temporary file; only 24 bytes per document stay in memory. First
/// append()ed in the order of the dump by one thread, then, after seal(), read by any thread.
class DocumentStore final : public DocumentSource {
public:
    static Result<DocumentStore> create(const std::filesystem::path& file);

    /// Requires at least one sentence.
    Status append(const TokenizedDocument& document);
    Status seal();

    Document document(std::uint32_t ordinal) const override;
    std::uint32_t length(std::uint32_t ordinal) const override { return m_index[ordinal].tokens; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_index.size()); }
    std::uint64_t pageId(std::uint32_t ordinal) const { return m_index[ordinal].pageId; }
    std::uint64_t tokens() const { return m_tokens; }
    std::uint64_t sentences() const { return m_sentences; }

private:
    explicit DocumentStore(SpillFile file) : m_file(std::move(file)) {}

    /// A document is its tokens, then its sentence ends.
    struct Entry {
        std::uint64_t offset;
        std::uint64_t pageId;
        std::uint32_t tokens;
        std::uint32_t sentences;
    };

    SpillFile m_file;
    MappedFile m_mapped;
    std::vector<Entry> m_index;
    std::uint64_t m_tokens = 0;
    std::uint64_t m_sentences = 0;
};

} // namespace trainyard
