#include "datasets/prepare/instance_spill.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "datasets/prepare/instance_codec.h"
#include "engine/base/check.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBucketBytes = 2u << 20;
constexpr std::size_t kBlockBytes = 16u << 10;

/// Precedes every block of the file, so that resume() can find the chains again.
struct BlockHeader {
    std::uint32_t bucket;
    std::uint32_t instances;
    std::uint64_t bytes; ///< after the header
};

struct Block {
    std::uint64_t offset; ///< after its header
    std::uint64_t bytes;
};

Status readAt(int fd, std::uint64_t offset, char* out, std::uint64_t size, const fs::path& path)
{
    while (size > 0) {
        const ssize_t got = ::pread(fd, out, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return systemError(ErrorKind::Failed, "cannot read " + path.string(), got < 0 ? errno : EIO);
        out += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::uint64_t>(got);
    }
    return {};
}

/// The instances of one bucket in memory, in their final order.
class SortedBucket {
public:
    explicit SortedBucket(std::string bytes) : m_bytes(std::move(bytes))
    {
        for (std::string_view rest = m_bytes; !rest.empty();) {
            const EncodedInstance encoded = peekInstance(rest);
            m_items.push_back({encoded.place, rest.substr(0, encoded.size)});
            rest.remove_prefix(encoded.size);
        }
        std::sort(m_items.begin(), m_items.end(),
                  [](const Item& a, const Item& b) { return a.place < b.place; });
    }
    SortedBucket(const SortedBucket&) = delete;
    std::string_view bytes(std::uint64_t index) const { return m_items[index].bytes; }
    static std::uint64_t memoryFor(std::uint64_t bytes, std::uint64_t instances)
    {
        return bytes + instances * sizeof(Item);
    }

private:
    struct Item {
        InstancePlace place;
        std::string_view bytes;
    };
    std::string m_bytes;
    std::vector<Item> m_items;
};

} // namespace

struct InstanceSpill::Bucket {
    std::mutex mutex;
    std::uint32_t number = 0;
    std::uint64_t count = 0;
    std::string unfinished; ///< instances that are not in the file yet
    std::uint32_t unfinishedCount = 0;
    std::vector<Block> blocks;
};

struct InstanceSpill::File {
    explicit File(AppendFile file) : append(std::move(file)) {}

    std::mutex mutex;
    AppendFile append;
    FileDescriptor reader;
};

InstanceSpill::Shape InstanceSpill::shapeFor(std::uint64_t expectedBytes, std::uint64_t memoryBytes,
                                             bool narrow)
{
    const std::uint64_t most = std::max<std::uint64_t>(memoryBytes / 8 / kBlockBytes, 1);
    return {std::clamp<std::uint64_t>(expectedBytes / kBucketBytes + 1, 1, most), narrow};
}

InstanceSpill::InstanceSpill(AppendFile file, const Shape& shape)
    : m_file(std::make_unique<File>(std::move(file))), m_narrow(shape.narrow)
{
    for (std::uint64_t i = 0; i < shape.buckets; ++i) {
        m_buckets.push_back(std::make_unique<Bucket>());
        m_buckets.back()->number = static_cast<std::uint32_t>(i);
    }
}
InstanceSpill::InstanceSpill(InstanceSpill&&) noexcept = default;
InstanceSpill::~InstanceSpill() = default;

Result<InstanceSpill> InstanceSpill::create(const fs::path& file, const Shape& shape)
{
    TRAINYARD_TRY(AppendFile append, AppendFile::create(file));
    return InstanceSpill(std::move(append), shape);
}

Result<InstanceSpill> InstanceSpill::resume(const fs::path& file, const Shape& shape, std::uint64_t size)
{
    TRAINYARD_TRY(AppendFile append, AppendFile::resume(file, size));
    InstanceSpill spill(std::move(append), shape);
    TRAINYARD_TRY_STATUS(spill.findBlocks());
    return spill;
}

Status InstanceSpill::findBlocks()
{
    const fs::path& path = m_file->append.path();
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const std::uint64_t end = m_file->append.size();
    for (std::uint64_t at = 0; at < end;) {
        BlockHeader header;
        TRAINYARD_TRY_STATUS(readAt(file.get(), at, reinterpret_cast<char*>(&header), sizeof header, path));
        at += sizeof header;
        if (header.bucket >= m_buckets.size() || header.bytes > end - at)
            return failed(path.string() + " is damaged: an earlier run wrote other blocks",
                          "run the command again; it will start from the beginning");
        Bucket& bucket = *m_buckets[header.bucket];
        bucket.blocks.push_back({at, header.bytes});
        bucket.count += header.instances;
        at += header.bytes;
    }
    return {};
}

InstanceSpill::Bucket& InstanceSpill::bucketOf(std::uint64_t key)
{
    __extension__ using Wide = unsigned __int128;
    return *m_buckets[static_cast<std::size_t>(Wide{key} * m_buckets.size() >> 64)];
}

Status InstanceSpill::add(const InstancePlace& place, const Instance& instance)
{
    Bucket& bucket = bucketOf(place.key);
    const std::lock_guard lock(bucket.mutex);
    encodeInstance(place, instance, m_narrow, bucket.unfinished);
    ++bucket.count;
    ++bucket.unfinishedCount;
    return bucket.unfinished.size() < kBlockBytes ? Status() : writeBlock(bucket);
}

Status InstanceSpill::writeBlock(Bucket& bucket)
{
    if (bucket.unfinishedCount == 0)
        return {};
    const BlockHeader header{bucket.number, bucket.unfinishedCount, bucket.unfinished.size()};
    const std::lock_guard lock(m_file->mutex);
    TRAINYARD_TRY_STATUS(m_file->append.append(std::span(&header, 1)));
    bucket.blocks.push_back({m_file->append.size(), header.bytes});
    TRAINYARD_TRY_STATUS(m_file->append.append(bucket.unfinished));
    bucket.unfinished.clear();
    bucket.unfinishedCount = 0;
    return {};
}

Result<std::uint64_t> InstanceSpill::commit()
{
    for (const auto& bucket : m_buckets)
        TRAINYARD_TRY_STATUS(writeBlock(*bucket));
    TRAINYARD_TRY_STATUS(m_file->append.sync());
    return m_file->append.size();
}

Status InstanceSpill::seal()
{
    for (const auto& bucket : m_buckets) {
        TRAINYARD_TRY_STATUS(writeBlock(*bucket));
        bucket->unfinished.shrink_to_fit();
    }
    TRAINYARD_TRY_STATUS(m_file->append.close());
    m_file->reader = FileDescriptor(::open(m_file->append.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (!m_file->reader.valid())
        return systemError(ErrorKind::Failed, "cannot open " + m_file->append.path().string(), errno);
    return {};
}

std::uint64_t InstanceSpill::size() const
{
    std::uint64_t size = 0;
    for (const auto& bucket : m_buckets)
        size += bucket->count;
    return size;
}

std::uint64_t InstanceSpill::bytesPerReader() const
{
    std::uint64_t most = 0;
    for (const auto& bucket : m_buckets)
        most = std::max(most, SortedBucket::memoryFor(bytesOf(*bucket), bucket->count));
    return most;
}

Status InstanceSpill::visit(std::uint64_t first, std::uint64_t count,
                            const std::function<Status(const Instance&)>& visit) const
{
    Instance instance;
    const std::uint64_t end = first + count;
    std::uint64_t bucketBegin = 0;
    for (const auto& bucket : m_buckets) {
        const std::uint64_t bucketEnd = bucketBegin + bucket->count;
        if (bucketEnd > first && bucketBegin < end) {
            TRAINYARD_TRY(std::string bytes, read(*bucket));
            const SortedBucket sorted(std::move(bytes));
            for (std::uint64_t i = std::max(first, bucketBegin); i < std::min(end, bucketEnd); ++i) {
                decodeInstance(sorted.bytes(i - bucketBegin), m_narrow, instance);
                TRAINYARD_TRY_STATUS(visit(instance));
            }
        }
        bucketBegin = bucketEnd;
    }
    return {};
}

std::uint64_t InstanceSpill::bytesOf(const Bucket& bucket)
{
    std::uint64_t size = 0;
    for (const Block& block : bucket.blocks)
        size += block.bytes;
    return size;
}

Result<std::string> InstanceSpill::read(const Bucket& bucket) const
{
    std::string bytes(bytesOf(bucket), '\0');
    char* at = bytes.data();
    for (const Block& block : bucket.blocks) {
        TRAINYARD_TRY_STATUS(
            readAt(m_file->reader.get(), block.offset, at, block.bytes, m_file->append.path()));
        at += block.bytes;
    }
    return bytes;
}

} // namespace trainyard
