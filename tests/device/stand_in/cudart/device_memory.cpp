#include "tests/device/stand_in/cudart/device_memory.h"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/stand_in/cudart/findings.h"

namespace trainyard::stand_in {

namespace {

constexpr std::size_t kGranule = std::size_t{1} << 20;

std::size_t wantedBytes()
{
    const char* const mib = std::getenv("TRAINYARD_STAND_IN_MEMORY");
    return (mib ? std::strtoull(mib, nullptr, 10) : 1024) * kGranule;
}

int makeFile(std::size_t bytes)
{
    const int file = ::memfd_create("stand-in device", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0)
        lacks("memory for its device");
    return file;
}

std::byte* map(int file, std::size_t bytes, int protection)
{
    void* const start = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (start == MAP_FAILED)
        lacks("addresses for its device");
    return static_cast<std::byte*>(start);
}

} // namespace

DeviceMemory::DeviceMemory()
    : m_bytes(wantedBytes())
    , m_file(makeFile(m_bytes))
    , m_addresses(map(m_file, m_bytes, PROT_NONE))
    , m_view(map(m_file, m_bytes, PROT_READ | PROT_WRITE))
{
}

std::uintptr_t DeviceMemory::allocate(std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    const std::size_t wanted = (bytes + kGranule - 1) / kGranule * kGranule;
    auto start = reinterpret_cast<std::uintptr_t>(m_addresses);
    const std::uintptr_t end = start + m_bytes;
    for (const auto& [used, size] : m_used) {
        if (used - start >= wanted)
            break;
        start = used + size;
    }
    if (end - start < wanted)
        return 0;
    m_used.emplace(start, wanted);
    return start;
}

std::size_t DeviceMemory::free(std::uintptr_t address)
{
    const std::lock_guard lock(m_mutex);
    const auto block = m_used.find(address);
    if (block == m_used.end())
        return 0;
    const std::size_t bytes = block->second;
    m_used.erase(block);
    return bytes;
}

bool DeviceMemory::contains(const void* pointer) const
{
    const auto* const byte = static_cast<const std::byte*>(pointer);
    return byte >= m_addresses && byte < m_addresses + m_bytes;
}

std::byte* DeviceMemory::view(const void* pointer) const
{
    return m_view + offset(pointer);
}

std::size_t DeviceMemory::offset(const void* pointer) const
{
    return static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - m_addresses);
}

std::size_t DeviceMemory::freeBytes()
{
    const std::lock_guard lock(m_mutex);
    std::size_t used = 0;
    for (const auto& [address, bytes] : m_used)
        used += bytes;
    return m_bytes - used;
}

} // namespace trainyard::stand_in
