#include "datasets/exporters/indexed_dataset_writer.h"

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kWideVocabulary = 65500; // from here on ids are int32
constexpr std::string_view kMagic = "MMIDIDX\0\0"sv;
constexpr std::uint64_t kVersion = 1;
constexpr std::uint8_t kInt32 = 4, kUint16 = 8; // codes of the format

fs::path withSuffix(const fs::path& prefix, const char* suffix)
{
    return prefix.string() + suffix; // replace_extension() would eat a dot of the name
}

/// Hands the bytes of a file to `take`, piece by piece; a piece holds whole numbers of up to 8 bytes.
Status readPieces(const fs::path& path, const std::function<Status(std::string_view)>& take)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string piece(64u << 10, '\0');
    for (std::size_t filled = 0;;) {
        const ssize_t got = ::read(file.get(), piece.data() + filled, piece.size() - filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return systemError(ErrorKind::Failed, "cannot read " + path.string(), errno);
        filled += static_cast<std::size_t>(got);
        if (filled == piece.size() || got == 0) {
            TRAINYARD_TRY_STATUS(take(std::string_view(piece).substr(0, filled)));
            filled = 0;
        }
        if (got == 0)
            return {};
    }
}

} // namespace

IndexedDatasetWriter::IndexedDatasetWriter(fs::path prefix, bool narrow, Parts parts)
    : m_prefix(std::move(prefix)), m_narrow(narrow), m_parts(std::move(parts))
{
}

Result<IndexedDatasetWriter> IndexedDatasetWriter::create(const fs::path& prefix, std::size_t vocabularySize)
{
    TRAINYARD_TRY(OutputFile bin, OutputFile::create(withSuffix(prefix, ".bin")));
    TRAINYARD_TRY(OutputFile lengths, OutputFile::create(withSuffix(prefix, ".lengths")));
    TRAINYARD_TRY(OutputFile documents, OutputFile::create(withSuffix(prefix, ".documents")));
    return IndexedDatasetWriter(prefix, vocabularySize < kWideVocabulary,
                                {std::move(bin), std::move(lengths), std::move(documents)});
}

Status IndexedDatasetWriter::append(TokenSpan ids)
{
    m_openLength += static_cast<std::int32_t>(ids.size());
    m_ids.resize(ids.size());
    ids.copyTo(m_ids.data());
    if (!m_narrow)
        return m_parts.bin.append(std::span<const std::int32_t>(m_ids));
    m_narrowIds.assign(m_ids.begin(), m_ids.end());
    return m_parts.bin.append(std::span<const std::uint16_t>(m_narrowIds));
}

Status IndexedDatasetWriter::endSequence()
{
    ++m_sequences;
    return m_parts.lengths.appendNumber(std::exchange(m_openLength, 0));
}

Status IndexedDatasetWriter::endDocument()
{
    ++m_documents;
    return m_parts.documents.appendNumber(static_cast<std::int64_t>(m_sequences));
}

Result<IndexedDatasetWriter::Digests> IndexedDatasetWriter::finish()
{
    TRAINYARD_CHECK(m_openLength == 0);
    Digests digests;
    TRAINYARD_TRY(digests.bin, m_parts.bin.close());
    for (OutputFile* part : {&m_parts.lengths, &m_parts.documents}) {
        if (const auto closed = part->close(); !closed.ok())
            return closed.error();
    }
    TRAINYARD_TRY(digests.idx, writeIndex());
    std::error_code ignored;
    fs::remove(m_parts.lengths.path(), ignored);
    fs::remove(m_parts.documents.path(), ignored);
    return digests;
}

Result<FileDigest> IndexedDatasetWriter::writeIndex() const
{
    TRAINYARD_TRY(OutputFile index, OutputFile::create(withSuffix(m_prefix, ".idx")));
    TRAINYARD_TRY_STATUS(index.append(kMagic));
    TRAINYARD_TRY_STATUS(index.appendNumber(kVersion));
    TRAINYARD_TRY_STATUS(index.appendNumber(m_narrow ? kUint16 : kInt32));
    TRAINYARD_TRY_STATUS(index.appendNumber(m_sequences));
    TRAINYARD_TRY_STATUS(index.appendNumber(m_documents + 1));
    TRAINYARD_TRY_STATUS(appendLengths(index));
    TRAINYARD_TRY_STATUS(appendOffsets(index));
    TRAINYARD_TRY_STATUS(appendDocuments(index));
    return index.close();
}

Status IndexedDatasetWriter::appendLengths(OutputFile& index) const
{
    return readPieces(m_parts.lengths.path(), [&](std::string_view bytes) { return index.append(bytes); });
}

Status IndexedDatasetWriter::appendOffsets(OutputFile& index) const
{
    std::int64_t offset = 0;
    return readPieces(m_parts.lengths.path(), [&](std::string_view bytes) -> Status {
        std::vector<std::int32_t> lengths(bytes.size() / sizeof(std::int32_t));
        bytes.copy(reinterpret_cast<char*>(lengths.data()), bytes.size());
        for (const std::int32_t length : lengths) {
            TRAINYARD_TRY_STATUS(index.appendNumber(offset));
            offset += std::int64_t{length} * (m_narrow ? 2 : 4);
        }
        return {};
    });
}

Status IndexedDatasetWriter::appendDocuments(OutputFile& index) const
{
    TRAINYARD_TRY_STATUS(index.appendNumber(std::int64_t{0}));
    return readPieces(m_parts.documents.path(), [&](std::string_view bytes) { return index.append(bytes); });
}

} // namespace trainyard
