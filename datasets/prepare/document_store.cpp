#include "datasets/prepare/document_store.h"

#include "engine/base/check.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr const char* kContent = "documents";
constexpr const char* kIndex = "documents.index";
constexpr std::uint64_t kBytesInMemory = 4u << 20;
constexpr std::uint64_t kBytesPerFault = 64u << 10; ///< the kernel also maps the neighbouring pages

std::uint64_t paddingBehind(std::uint64_t bytes)
{
    return -bytes % alignof(std::uint32_t);
}

} // namespace

DocumentStore::DocumentStore(AppendFile content, AppendFile index, std::size_t vocabularySize)
    : m_content(std::move(content)), m_index(std::move(index)), m_narrow(vocabularySize <= UINT16_MAX + 1u)
{
}

DocumentStore::DocumentStore(DocumentStore&& other) noexcept
    : m_content(std::move(other.m_content))
    , m_index(std::move(other.m_index))
    , m_narrow(other.m_narrow)
    , m_mark(other.m_mark)
    , m_mappedContent(std::move(other.m_mappedContent))
    , m_mappedIndex(std::move(other.m_mappedIndex))
{
}

Result<DocumentStore> DocumentStore::create(const fs::path& folder, std::size_t vocabularySize)
{
    TRAINYARD_TRY(AppendFile content, AppendFile::create(folder / kContent));
    TRAINYARD_TRY(AppendFile index, AppendFile::create(folder / kIndex));
    return DocumentStore(std::move(content), std::move(index), vocabularySize);
}

Result<DocumentStore> DocumentStore::resume(const fs::path& folder, std::size_t vocabularySize,
                                            const Mark& mark)
{
    TRAINYARD_TRY(AppendFile content, AppendFile::resume(folder / kContent, mark.bytes));
    TRAINYARD_TRY(AppendFile index, AppendFile::resume(folder / kIndex, mark.documents * sizeof(Entry)));
    DocumentStore store(std::move(content), std::move(index), vocabularySize);
    store.m_mark = mark;
    return store;
}

Result<DocumentStore> DocumentStore::open(const fs::path& folder, std::size_t vocabularySize,
                                          const Mark& mark)
{
    TRAINYARD_TRY(AppendFile content, AppendFile::closed(folder / kContent, mark.bytes));
    TRAINYARD_TRY(AppendFile index, AppendFile::closed(folder / kIndex, mark.documents * sizeof(Entry)));
    DocumentStore store(std::move(content), std::move(index), vocabularySize);
    store.m_mark = mark;
    TRAINYARD_TRY_STATUS(store.map());
    return store;
}

Status DocumentStore::append(const TokenizedDocument& document, std::size_t source)
{
    TRAINYARD_CHECK(!document.sentenceEnds.empty() && document.sentenceEnds.back() == document.tokens.size());
    const Entry entry{m_content.size(), document.pageId, document.textBytes,
                      static_cast<std::uint32_t>(document.tokens.size()),
                      static_cast<std::uint32_t>(document.sentenceEnds.size())};
    TRAINYARD_TRY_STATUS(m_index.append(std::span(&entry, 1)));
    TRAINYARD_TRY_STATUS(appendTokens(document.tokens));
    TRAINYARD_TRY_STATUS(m_content.append(std::span(document.sentenceEnds)));
    ++m_mark.documents;
    if (m_mark.sources.size() <= source)
        m_mark.sources.resize(source + 1);
    ++m_mark.sources[source];
    m_mark.sentences += entry.sentences;
    m_mark.tokens += entry.tokens;
    m_mark.bytes = m_content.size();
    return {};
}

Status DocumentStore::appendTokens(const std::vector<std::int32_t>& tokens)
{
    if (!m_narrow)
        return m_content.append(std::span(tokens));
    m_narrowed.assign(tokens.begin(), tokens.end());
    TRAINYARD_TRY_STATUS(m_content.append(std::span<const std::uint16_t>(m_narrowed)));
    return m_content.append(std::string(paddingBehind(m_content.size()), '\0'));
}

Result<DocumentStore::Mark> DocumentStore::commit()
{
    TRAINYARD_TRY_STATUS(m_content.sync());
    TRAINYARD_TRY_STATUS(m_index.sync());
    return m_mark;
}

Status DocumentStore::seal()
{
    TRAINYARD_TRY_STATUS(m_content.close());
    TRAINYARD_TRY_STATUS(m_index.close());
    return map();
}

Status DocumentStore::map()
{
    TRAINYARD_TRY(m_mappedContent, MappedFile::open(m_content.path()));
    TRAINYARD_TRY(m_mappedIndex, MappedFile::open(m_index.path()));
    return {};
}

const DocumentStore::Entry& DocumentStore::entry(std::uint32_t ordinal) const
{
    return reinterpret_cast<const Entry*>(m_mappedIndex->bytes().data())[ordinal];
}

Document DocumentStore::document(std::uint32_t ordinal) const
{
    const Entry& found = entry(ordinal);
    const char* begin = m_mappedContent->bytes().data() + found.offset;
    const std::size_t bytes = found.tokens * (m_narrow ? sizeof(std::uint16_t) : sizeof(std::int32_t));
    const auto* ends = reinterpret_cast<const std::uint32_t*>(begin + bytes + paddingBehind(bytes));
    countRead(bytes + found.sentences * sizeof(std::uint32_t));
    if (m_narrow)
        return {std::span(reinterpret_cast<const std::uint16_t*>(begin), found.tokens),
                {ends, found.sentences},
                found.textBytes};
    return {std::span(reinterpret_cast<const std::int32_t*>(begin), found.tokens),
            {ends, found.sentences},
            found.textBytes};
}

/// Releases mapped pages after some megabytes: they count as the process's memory, although the kernel could
/// reclaim them.
void DocumentStore::countRead(std::uint64_t bytes) const
{
    const std::uint64_t mapped = bytes + kBytesPerFault;
    const std::uint64_t before = m_read.fetch_add(mapped, std::memory_order_relaxed);
    if (before / kBytesInMemory == (before + mapped) / kBytesInMemory)
        return;
    for (const auto& file : {m_mappedContent, m_mappedIndex})
        MappedFile::releasePages(file->bytes().data(), file->bytes().size());
}

} // namespace trainyard
