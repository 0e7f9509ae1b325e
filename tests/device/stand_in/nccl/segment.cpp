#include "tests/device/stand_in/nccl/segment.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/stand_in/cudart/findings.h"

namespace trainyard::stand_in {

std::string CollectiveCall::text() const
{
    constexpr const char* kNames[] = {"ncclAllReduce", "ncclBroadcast", "ncclAllGather", "ncclReduceScatter"};
    std::string text = std::string(kNames[kind]) + " of " + std::to_string(count) + " elements of type " +
                       std::to_string(type);
    if (kind == AllReduce || kind == ReduceScatter)
        text += ", operation " + std::to_string(operation);
    return kind == Broadcast ? text + " from rank " + std::to_string(root) : text;
}

Mapping::Mapping(pid_t pid, int file, std::size_t bytes, bool writes) : m_bytes(bytes)
{
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
    const int descriptor = ::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    void* const start = descriptor < 0 ? MAP_FAILED
                                       : ::mmap(nullptr, bytes, PROT_READ | (writes ? PROT_WRITE : 0),
                                                MAP_SHARED, descriptor, 0);
    const bool isGone =
        descriptor < 0 && errno == ENOENT; // what others map stays open until the process ends
    if (isGone)
        return;
    if (start == MAP_FAILED)
        lacks("way to process " + std::to_string(pid) + ": " + std::strerror(errno));
    ::close(descriptor);
    m_start = static_cast<std::byte*>(start);
}

Mapping::~Mapping()
{
    if (m_start)
        ::munmap(m_start, m_bytes);
}

Mapping::Mapping(Mapping&& other) noexcept
    : m_start(std::exchange(other.m_start, nullptr)), m_bytes(other.m_bytes)
{
}

Mapping& Mapping::operator=(Mapping&& other) noexcept
{
    std::swap(m_start, other.m_start);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

int makeSharedFile()
{
    const int file = ::memfd_create("stand-in communicator", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, sizeof(SharedPart)) != 0)
        lacks("memory for a communicator");
    return file;
}

} // namespace trainyard::stand_in
