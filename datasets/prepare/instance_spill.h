#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "datasets/prepare/append_file.h"
#include "datasets/pretraining/instance.h"

namespace trainyard {

/// Position of an instance in the shuffled data set: sorted by a random key, ties by origin, so the order
/// does not depend on who built it and when.
struct InstancePlace {
    std::uint64_t key = 0;
    std::uint32_t document = 0;
    std::uint32_t pass = 0;
    std::uint32_t number = 0;
    auto operator<=>(const InstancePlace&) const = default;
};

/// Shuffles all instances on disk: distributes them into buckets by their key while they are built, and sorts
/// each bucket in memory when it is read. All buckets share one file, as chains of blocks. Memory: one
/// unfinished block per bucket, and one bucket per reading thread.
class InstanceSpill {
public:
    /// Determines the use of memory and disk, not the result.
    struct Shape {
        std::uint64_t buckets = 1;
        bool narrow = false; ///< all token ids are below 65536 and stored in 16 bits
    };
    static Shape shapeFor(std::uint64_t expectedBytes, std::uint64_t memoryBytes, bool narrow);

    static Result<InstanceSpill> create(const std::filesystem::path& file, const Shape& shape);
    /// Keeps the first `size` bytes, as returned by an earlier commit().
    static Result<InstanceSpill> resume(const std::filesystem::path& file, const Shape& shape,
                                        std::uint64_t size);

    InstanceSpill(InstanceSpill&&) noexcept;
    ~InstanceSpill();

    /// Any thread.
    Status add(const InstancePlace& place, const Instance& instance);
    /// Returns, after everything added is on the disk, the size to resume from. Not while an add() is
    /// running.
    Result<std::uint64_t> commit();
    /// After the last add().
    Status seal();

    std::uint64_t size() const; ///< instances
    /// Memory that a thread needs for visit(): the largest bucket and its order.
    std::uint64_t bytesPerReader() const;
    /// Calls visit for the instances `first` to `first + count - 1` of the sorted sequence, in order. Any
    /// thread; several may read at the same time.
    Status visit(std::uint64_t first, std::uint64_t count,
                 const std::function<Status(const Instance&)>& visit) const;

private:
    struct Bucket;
    struct File;
    InstanceSpill(AppendFile file, const Shape& shape);
    Bucket& bucketOf(std::uint64_t key);
    Status writeBlock(Bucket& bucket);
    Status findBlocks();
    static std::uint64_t bytesOf(const Bucket& bucket);
    Result<std::string> read(const Bucket& bucket) const;

    std::unique_ptr<File> m_file;
    std::vector<std::unique_ptr<Bucket>> m_buckets;
    bool m_narrow;
};

} // namespace trainyard
