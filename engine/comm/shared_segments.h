#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <mpi.h>

namespace trainyard {

/// One stretch of memory per rank of a communicator, mapped by all of its ranks, which must be on one host.
/// Each is an anonymous file of its rank (memfd): it needs no room in /dev/shm, which containers keep small,
/// has no name that a killed job could leave behind, and goes with the last process that maps it.
class SharedSegments {
public:
    /// All ranks of the communicator call it with the same size; a multiple of the page size is used. All get
    /// null when the ranks are on several hosts or one of them cannot map another one's segment.
    static std::unique_ptr<SharedSegments> create(MPI_Comm communicator, std::size_t bytesPerRank);
    ~SharedSegments();
    SharedSegments(const SharedSegments&) = delete;
    SharedSegments& operator=(const SharedSegments&) = delete;

    /// By rank; zero at first. Page-aligned.
    const std::vector<std::byte*>& starts() const { return m_starts; }

private:
    explicit SharedSegments(std::size_t bytesPerRank) : m_bytes(bytesPerRank) {}

    const std::size_t m_bytes;
    std::vector<std::byte*> m_starts;
};

} // namespace trainyard
