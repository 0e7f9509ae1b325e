#include "datasets/prepare/document_store.h"

namespace trainyard {

Result<DocumentStore> DocumentStore::create(const std::filesystem::path& file)
{
    TRAINYARD_TRY(SpillFile spill, SpillFile::create(file));
    return DocumentStore(std::move(spill));
}

Status DocumentStore::append(const TokenizedDocument& document)
{
    TRAINYARD_CHECK(!document.sentenceEnds.empty() && document.sentenceEnds.back() == document.tokens.size());
    m_index.push_back({m_file.size(), document.pageId, static_cast<std::uint32_t>(document.tokens.size()),
                       static_cast<std::uint32_t>(document.sentenceEnds.size())});
    m_tokens += document.tokens.size();
    m_sentences += document.sentenceEnds.size();
    TRAINYARD_TRY_STATUS(m_file.append(std::span(document.tokens)));
    return m_file.append(std::span(document.sentenceEnds));
}

Status DocumentStore::seal()
{
    TRAINYARD_TRY_STATUS(m_file.close());
    TRAINYARD_TRY(m_mapped, MappedFile::open(m_file.path()));
    return {};
}

Document DocumentStore::document(std::uint32_t ordinal) const
{
    const Entry& entry = m_index[ordinal];
    const char* begin =
        m_mapped.bytes().data() + entry.offset; // both arrays have four-byte values, so it is aligned
    const auto* tokens = reinterpret_cast<const std::int32_t*>(begin);
    const auto* ends = reinterpret_cast<const std::uint32_t*>(tokens + entry.tokens);
    return {std::span(tokens, entry.tokens), {ends, entry.sentences}};
}

} // namespace trainyard
