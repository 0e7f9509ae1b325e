#include "datasets/prepare/instance_spill.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include <fmt/format.h>

#include "datasets/prepare/instance_codec.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBucketBytes = 16u << 20; // mapped and sorted as a whole by each thread
constexpr std::uint64_t kMostBuckets = 512;       // open until seal(); most systems allow 1024
constexpr std::size_t kBufferBytes = 64u << 10;

std::size_t bucketsFor(std::uint64_t expectedBytes)
{
    return static_cast<std::size_t>(
        std::bit_ceil(std::clamp<std::uint64_t>(expectedBytes / kBucketBytes + 1, 1, kMostBuckets)));
}

/// The instances of one bucket in memory, in their final order.
class SortedBucket {
public:
    static Result<SortedBucket> open(const fs::path& path)
    {
        SortedBucket bucket;
        TRAINYARD_TRY(bucket.m_file, MappedFile::open(path));
        for (std::string_view rest = bucket.m_file.bytes(); !rest.empty();) {
            const EncodedInstance encoded = peekInstance(rest);
            bucket.m_items.push_back({encoded.place, rest.substr(0, encoded.size)});
            rest.remove_prefix(encoded.size);
        }
        std::sort(bucket.m_items.begin(), bucket.m_items.end(),
                  [](const Item& a, const Item& b) { return a.place < b.place; });
        return bucket;
    }
    std::string_view bytes(std::uint64_t index) const { return m_items[index].bytes; }

private:
    struct Item {
        InstancePlace place;
        std::string_view bytes;
    };
    MappedFile m_file;
    std::vector<Item> m_items;
};

} // namespace

struct InstanceSpill::Bucket {
    explicit Bucket(SpillFile file) : file(std::move(file)) {}

    std::mutex mutex;
    SpillFile file;
    std::uint64_t count = 0;
};

InstanceSpill::InstanceSpill(std::vector<std::unique_ptr<Bucket>> buckets)
    : m_buckets(std::move(buckets)), m_keyShift(64 - std::countr_zero(m_buckets.size()))
{
}
InstanceSpill::InstanceSpill(InstanceSpill&&) noexcept = default;
InstanceSpill& InstanceSpill::operator=(InstanceSpill&&) noexcept = default;
InstanceSpill::~InstanceSpill() = default;

Result<InstanceSpill> InstanceSpill::create(const fs::path& folder, std::uint64_t expectedBytes)
{
    TRAINYARD_TRY_STATUS(makeFolder(folder));
    std::vector<std::unique_ptr<Bucket>> buckets(bucketsFor(expectedBytes));
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        TRAINYARD_TRY(SpillFile file,
                      SpillFile::create(folder / fmt::format("bucket-{:03}", i), kBufferBytes));
        buckets[i] = std::make_unique<Bucket>(std::move(file));
    }
    return InstanceSpill(std::move(buckets));
}

Status InstanceSpill::add(const InstancePlace& place, const Instance& instance)
{
    std::string bytes;
    encodeInstance(place, instance, bytes);
    Bucket& bucket = *m_buckets[m_buckets.size() == 1 ? 0 : place.key >> m_keyShift];
    const std::lock_guard lock(bucket.mutex);
    ++bucket.count;
    return bucket.file.append(bytes);
}

Status InstanceSpill::seal()
{
    for (const auto& bucket : m_buckets)
        TRAINYARD_TRY_STATUS(bucket->file.close());
    return {};
}

std::uint64_t InstanceSpill::size() const
{
    std::uint64_t size = 0;
    for (const auto& bucket : m_buckets)
        size += bucket->count;
    return size;
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
            TRAINYARD_TRY(const SortedBucket sorted, SortedBucket::open(bucket->file.path()));
            for (std::uint64_t i = std::max(first, bucketBegin); i < std::min(end, bucketEnd); ++i) {
                decodeInstance(sorted.bytes(i - bucketBegin), instance);
                TRAINYARD_TRY_STATUS(visit(instance));
            }
        }
        bucketBegin = bucketEnd;
    }
    return {};
}

} // namespace trainyard
