#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "datasets/prepare/append_file.h"
#include "datasets/pretraining/documents.h"
#include "engine/base/mapped_file.h"

namespace trainyard {

/// A page after tokenization.
struct TokenizedDocument {
    std::uint64_t pageId = 0;
    std::vector<std::int32_t> tokens;
    std::vector<std::uint32_t> sentenceEnds;
    std::uint64_t textBytes = 0; ///< see Document
};

/// All documents of a data set in two files of a folder: their tokens and sentence ends, and an index. Ids
/// take 16 bits if the vocabulary allows it. First append()ed in the order of the corpus by one thread, then,
/// after seal(), read by any thread. Only the last few megabytes read stay in memory.
class DocumentStore final : public DocumentSource {
public:
    /// Size of the store at a commit: the state that a later process resumes from.
    struct Mark {
        std::uint64_t documents = 0;
        std::uint64_t sentences = 0;
        std::uint64_t tokens = 0;
        std::uint64_t bytes = 0;
        std::vector<std::uint64_t> sources{}; ///< documents of each input, one after the other
    };

    static Result<DocumentStore> create(const std::filesystem::path& folder, std::size_t vocabularySize);
    /// Drops everything after the mark.
    static Result<DocumentStore> resume(const std::filesystem::path& folder, std::size_t vocabularySize,
                                        const Mark& mark);
    /// Opens a sealed store for reading only.
    static Result<DocumentStore> open(const std::filesystem::path& folder, std::size_t vocabularySize,
                                      const Mark& mark);
    DocumentStore(DocumentStore&& other) noexcept;

    /// Requires at least one sentence. `source`: the input that it is from; never less than that of the last
    /// one.
    Status append(const TokenizedDocument& document, std::size_t source = 0);
    /// Returns after everything appended so far is on the disk.
    Result<Mark> commit();
    Status seal();

    Document document(std::uint32_t ordinal) const override;
    std::uint32_t length(std::uint32_t ordinal) const override { return entry(ordinal).tokens; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(m_mark.documents); }
    std::uint64_t pageId(std::uint32_t ordinal) const { return entry(ordinal).pageId; }
    std::uint64_t tokens() const { return m_mark.tokens; }
    std::uint64_t sentences() const { return m_mark.sentences; }
    const std::vector<std::uint64_t>& sources() const { return m_mark.sources; }

private:
    struct Entry {
        std::uint64_t offset; ///< offset of the tokens; the sentence ends follow at the next multiple of four
        std::uint64_t pageId;
        std::uint64_t textBytes;
        std::uint32_t tokens;
        std::uint32_t sentences;
    };

    DocumentStore(AppendFile content, AppendFile index, std::size_t vocabularySize);
    Status map();
    Status appendTokens(const std::vector<std::int32_t>& tokens);
    const Entry& entry(std::uint32_t ordinal) const;
    void countRead(std::uint64_t bytes) const;

    AppendFile m_content;
    AppendFile m_index;
    bool m_narrow; ///< ids of 16 bits
    Mark m_mark;
    std::vector<std::uint16_t> m_narrowed;             ///< scratch
    std::shared_ptr<const MappedFile> m_mappedContent; ///< null until sealed
    std::shared_ptr<const MappedFile> m_mappedIndex;
    mutable std::atomic<std::uint64_t> m_read{0}; ///< bytes handed out
};

} // namespace trainyard
