#include "tests/device/kernels/cuda_on_host/shared_memory.h"

#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif

namespace trainyard::on_host {

namespace {

constexpr std::size_t kGap = 64;
constexpr int kPattern = 0xff; // a NaN in every type

} // namespace

SharedMemory::SharedMemory() : m_memory(new std::byte[kSize])
{
    beginBlock();
}

SharedMemory::~SharedMemory()
{
    ASAN_UNPOISON_MEMORY_REGION(m_memory.get(), kSize);
}

void SharedMemory::beginBlock()
{
    m_variables.clear();
    m_used = 0;
    m_counted = 0;
    ASAN_POISON_MEMORY_REGION(m_memory.get(), kSize);
}

void* SharedMemory::variable(const void* key, std::size_t bytes, std::size_t alignment)
{
    for (const Variable& variable : m_variables) {
        if (variable.key == key)
            return variable.begin;
    }
    const std::size_t begin = (m_used + kGap + alignment - 1) / alignment * alignment;
    if (m_counted + bytes > kMaxBytes || begin + bytes > kSize)
        return nullptr;
    m_used = begin + bytes;
    m_counted += bytes;
    std::byte* const variable = m_memory.get() + begin;
    ASAN_UNPOISON_MEMORY_REGION(variable, bytes);
    std::memset(variable, kPattern, bytes);
    m_variables.push_back({key, variable});
    return variable;
}

} // namespace trainyard::on_host
