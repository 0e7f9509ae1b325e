#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace trainyard::stand_in {

/// The memory of the stand-in device: an anonymous file, mapped twice. At the addresses that programs get, no
/// host code may touch it; what the device executes uses its view. Other processes open the file to reach it,
/// as devices do that are linked. Any thread.
class DeviceMemory {
public:
    /// As large as TRAINYARD_STAND_IN_MEMORY says, in MiB; 1024 without.
    DeviceMemory();

    /// A block of whole MiB, as CUDA's are of 2 MiB; 0 when there is no room.
    std::uintptr_t allocate(std::size_t bytes);
    /// The size of the block, now free; 0 when none begins there.
    std::size_t free(std::uintptr_t address);

    bool contains(const void* pointer) const;
    /// The same memory where the device's executor may touch it.
    std::byte* view(const void* pointer) const;
    std::size_t offset(const void* pointer) const;

    std::size_t totalBytes() const { return m_bytes; }
    std::size_t freeBytes();
    /// The file, in this process.
    int file() const { return m_file; }

private:
    const std::size_t m_bytes;
    const int m_file;
    std::byte* const m_addresses;
    std::byte* const m_view;
    std::mutex m_mutex;
    std::map<std::uintptr_t, std::size_t> m_used; // by address: bytes
};

} // namespace trainyard::stand_in
