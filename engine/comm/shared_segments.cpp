#include "engine/comm/shared_segments.h"

#include <algorithm>
#include <cstdint>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"

namespace trainyard {

namespace {

/// How the other ranks find a rank's segment.
struct Address {
    std::int64_t pid = 0;
    std::int64_t descriptor = -1;
    std::uint64_t device = 0; ///< with the inode: is it the file that the rank meant?
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;
};

bool shareOneHost(MPI_Comm communicator)
{
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int here = 0;
    int all = 0;
    MPI_Comm_size(host, &here);
    MPI_Comm_size(communicator, &all);
    MPI_Comm_free(&host);
    return here == all;
}

bool allSucceeded(MPI_Comm communicator, bool mine)
{
    int all = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator);
    return all != 0;
}

Address addressOf(const FileDescriptor& file)
{
    struct stat info {};
    if (!file.valid() || ::fstat(file.get(), &info) != 0)
        return {};
    return {::getpid(), file.get(), info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size)};
}

FileDescriptor makeSegment(std::size_t bytes)
{
    FileDescriptor file(::memfd_create("trainyard-collectives", MFD_CLOEXEC));
    if (file.valid() && ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
        file.reset();
    return file;
}

// Another process of this number may live in another pid namespace: the inode tells.
FileDescriptor openSegment(const Address& address)
{
    const std::string path = fmt::format("/proc/{}/fd/{}", address.pid, address.descriptor);
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    const Address found = addressOf(file);
    if (found.device != address.device || found.inode != address.inode)
        file.reset();
    return file;
}

/// Null on failure.
std::byte* mapSegment(const Address& address)
{
    const FileDescriptor file = openSegment(address);
    if (!file.valid())
        return nullptr;
    void* start =
        ::mmap(nullptr, address.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

std::vector<Address> exchange(MPI_Comm communicator, const Address& mine)
{
    int ranks = 0;
    MPI_Comm_size(communicator, &ranks);
    std::vector<Address> addresses(static_cast<std::size_t>(ranks));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, addresses.data(), sizeof mine, MPI_BYTE, communicator);
    return addresses;
}

} // namespace

std::unique_ptr<SharedSegments> SharedSegments::create(MPI_Comm communicator, std::size_t bytes)
{
    return map(communicator, makeSegment(bytes));
}

std::unique_ptr<SharedSegments> SharedSegments::map(MPI_Comm communicator, const FileDescriptor& own)
{
    if (!shareOneHost(communicator))
        return nullptr;
    std::unique_ptr<SharedSegments> segments(new SharedSegments);
    for (const Address& address : exchange(communicator, addressOf(own))) {
        segments->m_starts.push_back(mapSegment(address));
        segments->m_bytes.push_back(address.bytes);
    }
    const bool hasAll = std::ranges::find(segments->m_starts, nullptr) == segments->m_starts.end();
    if (!allSucceeded(communicator, hasAll)) // also keeps `own` open until every rank has opened it
        return nullptr;
    return segments;
}

SharedSegments::~SharedSegments()
{
    for (std::size_t rank = 0; rank < m_starts.size(); ++rank) {
        if (m_starts[rank])
            ::munmap(m_starts[rank], m_bytes[rank]);
    }
}

} // namespace trainyard
