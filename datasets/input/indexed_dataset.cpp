#include "datasets/input/indexed_dataset.h"

#include <cstring>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

// Magic, version, type of the ids, number of sequences, number of documents and one.
constexpr std::string_view kIndexMagic = "MMIDIDX\0\0"sv;
constexpr std::uint64_t kTypeAt = 17, kSequencesAt = 18, kDocumentsAt = 26, kHeaderBytes = 34;

/// 0 = no type of ids.
std::uint64_t bytesOfType(std::uint8_t code)
{
    switch (code) {
    case 4:
        return sizeof(std::int32_t);
    case 5:
        return sizeof(std::int64_t);
    case 8:
        return sizeof(std::uint16_t);
    default:
        return 0;
    }
}

} // namespace

fs::path idsBeside(const fs::path& index)
{
    fs::path ids = index;
    return ids.replace_extension(".bin");
}

bool IndexedDataset::recognizes(std::string_view head)
{
    return head.starts_with(kIndexMagic);
}

Result<IndexedDataset> IndexedDataset::open(const fs::path& path)
{
    TRAINYARD_TRY(auto index, MappedFile::open(path));
    auto ids = MappedFile::open(idsBeside(path));
    if (!ids.ok())
        return badInput(ids.error().message, "the ids of " + path.filename().string() + " must be beside it");
    IndexedDataset set(path.string(), std::move(index), std::move(*ids));
    TRAINYARD_TRY_STATUS(set.readHeader());
    return set;
}

Status IndexedDataset::readHeader()
{
    const std::string_view bytes = m_index->bytes();
    if (!recognizes(bytes) || bytes.size() < kHeaderBytes)
        return damaged("its header is incomplete");
    if (const auto version = numberAt<std::uint64_t>(kIndexMagic.size(), 0); version != 1)
        return badInput(fmt::format("{} has version {} of Megatron's format, not 1", m_name, version),
                        "write it again with Megatron-LM's preprocess_data.py");
    m_idBytes = bytesOfType(numberAt<std::uint8_t>(kTypeAt, 0));
    if (m_idBytes == 0)
        return badInput(m_name + " has no token ids: its numbers are neither uint16, int32 nor int64",
                        "pass a file of tokens");
    m_sequences = numberAt<std::uint64_t>(kSequencesAt, 0);
    const auto ends = numberAt<std::uint64_t>(kDocumentsAt, 0);
    m_lengths = kHeaderBytes;
    // Each sequence has a length of 4 bytes and a place of 8; documents have an end of 8 each.
    const std::uint64_t rest = bytes.size() - kHeaderBytes;
    if (m_sequences > rest / 12 || ends == 0 || ends > rest / 8 || m_sequences * 12 + ends * 8 > rest)
        return damaged("it is shorter than it says");
    m_documents = ends - 1;
    return {};
}

Error IndexedDataset::damaged(const std::string& what) const
{
    return badInput(fmt::format("{} is damaged or truncated: {}", m_name, what),
                    "copy it again, with its .bin");
}

/// The number with that index in a list that begins at that offset; requires that it is in the file.
template <typename Number>
Number IndexedDataset::numberAt(std::uint64_t offset, std::uint64_t index) const
{
    Number number;
    std::memcpy(&number, m_index->bytes().data() + offset + index * sizeof number, sizeof number);
    return number;
}

Status IndexedDataset::append(std::uint64_t sequence, std::vector<std::int32_t>& ids) const
{
    const auto length = numberAt<std::int32_t>(m_lengths, sequence);
    const auto place = numberAt<std::int64_t>(m_lengths + m_sequences * sizeof(std::int32_t), sequence);
    const std::string_view all = m_ids->bytes();
    if (length < 0 || place < 0 || static_cast<std::uint64_t>(place) > all.size() ||
        static_cast<std::uint64_t>(length) * m_idBytes > all.size() - static_cast<std::uint64_t>(place))
        return damaged(fmt::format("sequence {} is not in the .bin", sequence));
    const char* at = all.data() + place;
    for (std::int32_t i = 0; i < length; ++i, at += m_idBytes) {
        std::int64_t id = 0;
        std::memcpy(&id, at, m_idBytes); // little endian, as the format
        if (m_idBytes == sizeof(std::int64_t) && (id < 0 || id > INT32_MAX))
            return damaged(fmt::format("sequence {} has the id {}", sequence, id));
        ids.push_back(static_cast<std::int32_t>(id));
    }
    return {};
}

Result<std::vector<std::int32_t>> IndexedDataset::document(std::uint64_t number) const
{
    const std::uint64_t ends = m_lengths + m_sequences * (sizeof(std::int32_t) + sizeof(std::int64_t));
    const auto begin = numberAt<std::int64_t>(ends, number);
    const auto end = numberAt<std::int64_t>(ends, number + 1);
    if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > m_sequences)
        return damaged(fmt::format("document {} has no sequences {} to {}", number, begin, end));
    std::vector<std::int32_t> ids;
    for (std::int64_t sequence = begin; sequence < end; ++sequence)
        TRAINYARD_TRY_STATUS(append(static_cast<std::uint64_t>(sequence), ids));
    return ids;
}

void IndexedDataset::release() const
{
    for (const auto& file : {m_index, m_ids})
        MappedFile::releasePages(file->bytes().data(), file->bytes().size());
}

} // namespace trainyard
