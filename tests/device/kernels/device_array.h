#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "tests/device/kernels/cuda_on_host/access_log.h"

namespace trainyard {

/// Numbers that kernels on the host may touch, bounded to the byte.
template <typename T>
class DeviceArray {
public:
    /// Begins `offset` elements behind an address that is a multiple of 16 bytes.
    explicit DeviceArray(const std::vector<T>& values, std::size_t offset = 0)
        : m_memory(new T[values.size() + offset]), m_data(m_memory.get() + offset), m_count(values.size())
    {
        std::copy(values.begin(), values.end(), m_data);
        on_host::AccessLog::instance().add(m_data, m_count * sizeof(T), sizeof(T));
    }
    explicit DeviceArray(std::size_t count, T value = {}) : DeviceArray(std::vector<T>(count, value)) {}
    ~DeviceArray() { on_host::AccessLog::instance().remove(m_data); }
    DeviceArray(const DeviceArray&) = delete;

    T* data() { return m_data; }
    std::size_t size() const { return m_count; }
    const T& operator[](std::size_t i) const { return m_data[i]; }
    std::vector<T> values() const { return {m_data, m_data + m_count}; }

private:
    std::unique_ptr<T[]> m_memory;
    T* m_data;
    std::size_t m_count;
};

/// The same for more elements than there is memory, all 0: takes memory only where something is written.
/// Nothing can be accessed right in front of it and behind it.
template <typename T>
class SparseArray {
public:
    explicit SparseArray(std::size_t count)
        : m_pages((count * sizeof(T) + pageBytes() - 1) / pageBytes() * pageBytes())
        , m_memory(map(m_pages + 2 * pageBytes()))
        , m_data(reinterpret_cast<T*>(m_memory + pageBytes() + (m_pages - count * sizeof(T))))
    {
        on_host::AccessLog::instance().addUnobserved(m_data, count * sizeof(T));
    }
    ~SparseArray()
    {
        on_host::AccessLog::instance().remove(m_data);
        munmap(m_memory, m_pages + 2 * pageBytes());
    }
    SparseArray(const SparseArray&) = delete;

    T* data() { return m_data; }
    T& operator[](std::size_t i) { return m_data[i]; }

private:
    static std::size_t pageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

    std::byte* map(std::size_t bytes)
    {
        void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        auto* const begin = static_cast<std::byte*>(memory);
        if (memory == MAP_FAILED || mprotect(begin + pageBytes(), m_pages, PROT_READ | PROT_WRITE) != 0)
            std::abort();
        // A huge page for every element that is touched would be all of the machine's memory. Fails where the
        // kernel has no huge pages.
        static_cast<void>(madvise(memory, bytes, MADV_NOHUGEPAGE));
        return begin;
    }

    std::size_t m_pages; ///< in bytes
    std::byte* m_memory;
    T* m_data;
};

} // namespace trainyard
