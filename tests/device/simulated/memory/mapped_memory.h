#pragma once

#include <cstddef>
#include <cstdint>

namespace trainyard {

/// Memory with two addresses: the guarded one, which tensors carry and the host may use as far as it is
/// allowed to, and the executor's, where the simulated device always reads and writes. Never unmapped.
class MappedMemory {
public:
    enum class HostAccess { None, Read, ReadWrite };

    /// `bytes` of address space, of which only pages in use take memory. Stops the test when that fails.
    MappedMemory(const char* name, std::size_t bytes, HostAccess access);

    std::byte* begin() const { return m_guarded; }
    std::size_t bytes() const { return m_bytes; }
    bool contains(const void* guarded) const
    {
        const auto* address = static_cast<const std::byte*>(guarded);
        return address >= m_guarded && address < m_guarded + m_bytes;
    }
    /// Where the executor finds what lies at a guarded address.
    std::byte* executors(const void* guarded) const
    {
        return m_executors + (static_cast<const std::byte*>(guarded) - m_guarded);
    }
    /// What the host may do from now on, in all pages that the range touches.
    void allow(const void* guarded, std::size_t bytes, HostAccess access) const;

private:
    std::size_t m_bytes;
    std::byte* m_guarded;
    std::byte* m_executors;
};

constexpr std::size_t kPageBytes = 4096;

} // namespace trainyard
