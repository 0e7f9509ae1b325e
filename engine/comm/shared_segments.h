#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <mpi.h>

namespace trainyard {

class FileDescriptor;

/// One stretch of memory per rank of a communicator, mapped by all of its ranks, which must be on one host.
/// Each is an anonymous file of its rank (memfd): it needs no room in /dev/shm, which containers keep small,
/// has no name that a killed job could leave behind, and goes with the last process that maps it.
class SharedSegments {
public:
    /// Every rank's file is a new one of this size. All ranks of the communicator call it. All get null when
    /// the ranks are on several hosts or one of them cannot map another one's segment.
    static std::unique_ptr<SharedSegments> create(MPI_Comm communicator, std::size_t bytes);
    /// Every rank passes its own anonymous file; null for all as well when a rank has none (an invalid
    /// descriptor).
    static std::unique_ptr<SharedSegments> map(MPI_Comm communicator, const FileDescriptor& own);
    ~SharedSegments();
    SharedSegments(const SharedSegments&) = delete;
    SharedSegments& operator=(const SharedSegments&) = delete;

    /// By rank. Page-aligned; zero at first where create() made them.
    const std::vector<std::byte*>& starts() const { return m_starts; }

private:
    SharedSegments() = default;

    std::vector<std::byte*> m_starts;
    std::vector<std::size_t> m_bytes;
};

} // namespace trainyard
