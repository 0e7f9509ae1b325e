#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "engine/base/file.h"

namespace trainyard {

/// Memory of this process that other processes of the host can map too: an anonymous file (memfd), mapped
/// whole. Only blocks that are in use take memory. Any thread.
class SharedArena {
public:
    /// Reserves `bytes` for all blocks ever allocated together. Null when the system refuses.
    static std::unique_ptr<SharedArena> create(std::size_t bytes);
    ~SharedArena();
    SharedArena(const SharedArena&) = delete;
    SharedArena& operator=(const SharedArena&) = delete;

    /// Returns a zeroed block at a multiple of 2 MiB; null when the arena is full.
    void* allocate(std::size_t bytes);
    /// Returns the memory to the system. `bytes` as given to allocate().
    void release(void* block, std::size_t bytes);

    /// Whether these bytes are in the arena.
    bool contains(const void* start, std::size_t bytes) const;
    /// Offset of an address in the arena.
    std::size_t offsetOf(const void* address) const;
    const FileDescriptor& file() const { return m_file; }
    std::size_t bytes() const { return m_bytes; }

private:
    SharedArena(FileDescriptor file, std::byte* start, std::size_t bytes);

    const FileDescriptor m_file;
    std::byte* const m_start;
    const std::size_t m_bytes;
    std::mutex m_mutex;
    std::size_t m_used = 0; // addresses are not used again: there are more of them than memory
};

} // namespace trainyard
