#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/mapped_file.h"

namespace trainyard {

/// The .bin beside an .idx.
std::filesystem::path idsBeside(const std::filesystem::path& index);

/// Tokenized documents as Megatron-LM stores them: an .idx with the places of the sequences of each document,
/// and a .bin with their token ids. Immutable; any thread.
class IndexedDataset {
public:
    static bool recognizes(std::string_view head);
    /// Takes the .idx. BadInput names the file.
    static Result<IndexedDataset> open(const std::filesystem::path& index);

    std::uint64_t documents() const { return m_documents; }
    /// Returns the ids of the sequences of one document, joined. BadInput if the index leads out of the .bin.
    Result<std::vector<std::int32_t>> document(std::uint64_t number) const;
    /// Releases the pages that were read.
    void release() const;
    std::uint64_t bytes() const { return m_index->bytes().size() + m_ids->bytes().size(); }

private:
    IndexedDataset(std::string name, std::shared_ptr<const MappedFile> index,
                   std::shared_ptr<const MappedFile> ids)
        : m_name(std::move(name)), m_index(std::move(index)), m_ids(std::move(ids))
    {
    }
    Status readHeader();
    Error damaged(const std::string& what) const;
    template <typename Number>
    Number numberAt(std::uint64_t offset, std::uint64_t index) const;
    Status append(std::uint64_t sequence, std::vector<std::int32_t>& ids) const;

    std::string m_name; ///< for messages
    std::shared_ptr<const MappedFile> m_index;
    std::shared_ptr<const MappedFile> m_ids;
    std::uint64_t m_idBytes = 0; ///< of one id: 2, unsigned, or 4 or 8
    std::uint64_t m_sequences = 0;
    std::uint64_t m_documents = 0;
    std::uint64_t m_lengths = 0; ///< offset in the index; behind them the places, then the documents' ends
};

} // namespace trainyard
