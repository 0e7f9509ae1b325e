#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace trainyard::on_host {

/// The shared memory of the block that runs: its variables one behind the other, with gaps that nothing may
/// touch. What a block finds in a variable means nothing.
class SharedMemory {
public:
    SharedMemory();
    ~SharedMemory();

    void beginBlock();
    /// Null beyond the limit.
    void* variable(const void* key, std::size_t bytes, std::size_t alignment);
    /// All that variables can be in.
    std::span<const std::byte> bytes() const { return {m_memory.get(), kSize}; }

    static constexpr std::size_t kMaxBytes = 48 << 10; ///< static shared memory of a kernel

private:
    struct Variable {
        const void* key;
        std::byte* begin;
    };
    static constexpr std::size_t kSize = 2 * kMaxBytes;

    std::unique_ptr<std::byte[]> m_memory;
    std::vector<Variable> m_variables;
    std::size_t m_used = 0;    ///< of variables and gaps
    std::size_t m_counted = 0; ///< of variables alone
};

} // namespace trainyard::on_host
