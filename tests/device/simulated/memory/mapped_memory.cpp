#include "tests/device/simulated/memory/mapped_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

int protectionOf(MappedMemory::HostAccess access)
{
    switch (access) {
    case MappedMemory::HostAccess::None:
        return PROT_NONE;
    case MappedMemory::HostAccess::Read:
        return PROT_READ;
    case MappedMemory::HostAccess::ReadWrite:
        return PROT_READ | PROT_WRITE;
    }
    return PROT_NONE;
}

std::byte* mapped(int file, std::size_t bytes, int protection)
{
    void* const address = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
    TRAINYARD_CHECK(address != MAP_FAILED);
    return static_cast<std::byte*>(address);
}

} // namespace

MappedMemory::MappedMemory(const char* name, std::size_t bytes, HostAccess access) : m_bytes(bytes)
{
    const int file = ::memfd_create(name, MFD_CLOEXEC);
    TRAINYARD_CHECK(file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0);
    m_guarded = mapped(file, bytes, protectionOf(access));
    m_executors = mapped(file, bytes, PROT_READ | PROT_WRITE);
    ::close(file);
}

void MappedMemory::allow(const void* guarded, std::size_t bytes, HostAccess access) const
{
    const auto address = reinterpret_cast<std::uintptr_t>(guarded);
    const std::uintptr_t first = address / kPageBytes * kPageBytes;
    TRAINYARD_CHECK(
        ::mprotect(reinterpret_cast<void*>(first), address + bytes - first, protectionOf(access)) == 0);
}

} // namespace trainyard
