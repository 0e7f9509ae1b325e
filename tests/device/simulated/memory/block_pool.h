#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tests/device/simulated/memory/mapped_memory.h"

namespace trainyard {

/// A piece of memory that somebody asked for.
struct MemoryBlock {
    std::byte* begin = nullptr; ///< guarded address
    std::size_t bytes = 0;      ///< asked for
    std::size_t room = 0;       ///< with what rounding added
    std::size_t device = 0;     ///< number of the simulated device
    std::size_t stream = 0;     ///< that was current when it was asked for
    const char* madeBy = "";    ///< the operator that asked
    bool isFree = false;
};

/// Hands out blocks as a caching allocator does: a block that was freed goes to whoever next asks for as much
/// on the same device and stream, at once and without looking whether other streams still use it. Memory
/// holds NaN when it is handed out. Not thread-safe.
class BlockPool {
public:
    /// `memory` outlives the pool. Sizes are rounded to multiples of `granularity`.
    BlockPool(const MappedMemory& memory, std::size_t granularity)
        : m_memory(memory), m_granularity(granularity)
    {
    }

    struct Request {
        std::size_t bytes = 0;
        std::size_t device = 0;
        std::size_t stream = 0;
        const char* madeBy = "";
    };
    /// Null when the memory is used up.
    const MemoryBlock* allocate(const Request& request);
    /// Requires a guarded address that allocate() gave.
    const MemoryBlock& free(const void* begin);
    /// The block around a guarded address, also one that is free; null where none ever was.
    const MemoryBlock* find(const void* guarded) const;

private:
    using Kind = std::tuple<std::size_t, std::size_t, std::size_t>; // device, stream, room

    const MappedMemory& m_memory;
    const std::size_t m_granularity;
    std::size_t m_used = 0;
    std::map<const std::byte*, MemoryBlock> m_blocks; // by their begin
    std::map<Kind, std::vector<const std::byte*>> m_free;
};

} // namespace trainyard
