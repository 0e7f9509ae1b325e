#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "datasets/prepare/spill_file.h"
#include "datasets/pretraining/instance.h"

namespace trainyard {

/// Where an instance stands in the shuffled data set: sorted by a random key, ties by where it came from, so
/// the order is the same whoever built it and when.
struct InstancePlace {
    std::uint64_t key = 0;
    std::uint32_t document = 0;
    std::uint32_t pass = 0;
    std::uint32_t number = 0;
    auto operator<=>(const InstancePlace&) const = default;
};

/// The shuffle of all instances, on disk: they are thrown into buckets by the first bits of their key while
/// they are built, and each bucket is sorted in memory when it is read. Memory is bounded by the largest
/// bucket.
class InstanceSpill {
public:
    /// `expectedBytes` decides how many buckets there are, not what comes out.
    static Result<InstanceSpill> create(const std::filesystem::path& folder, std::uint64_t expectedBytes);

    InstanceSpill(InstanceSpill&&) noexcept;
    InstanceSpill& operator=(InstanceSpill&&) noexcept;
    ~InstanceSpill();

    /// Any thread.
    Status add(const InstancePlace& place, const Instance& instance);
    /// After the last add(). Closes the files, so that the next spill may open as many.
    Status seal();

    std::uint64_t size() const;
    /// Calls visit for the instances number `first` to `first + count - 1` of the sorted whole, in order. Any
    /// thread; several may read at once.
    Status visit(std::uint64_t first, std::uint64_t count,
                 const std::function<Status(const Instance&)>& visit) const;

private:
    struct Bucket;
    explicit InstanceSpill(std::vector<std::unique_ptr<Bucket>> buckets);

    std::vector<std::unique_ptr<Bucket>> m_buckets;
    int m_keyShift; ///< key >> m_keyShift is the bucket
};

} // namespace trainyard
