#include "engine/base/shared_arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t wholePages(std::size_t bytes)
{
    return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

} // namespace

std::unique_ptr<SharedArena> SharedArena::create(std::size_t bytes)
{
    FileDescriptor file(::memfd_create("trainyard-arena", MFD_CLOEXEC));
    if (!file.valid() || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
        return nullptr;
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.get(), 0);
    if (start == MAP_FAILED)
        return nullptr;
    ::madvise(start, bytes, MADV_HUGEPAGE); // where the system has huge pages for such memory
    return std::unique_ptr<SharedArena>(
        new SharedArena(std::move(file), static_cast<std::byte*>(start), bytes));
}

SharedArena::SharedArena(FileDescriptor file, std::byte* start, std::size_t bytes)
    : m_file(std::move(file)), m_start(start), m_bytes(bytes)
{
}

SharedArena::~SharedArena()
{
    ::munmap(m_start, m_bytes);
}

void* SharedArena::allocate(std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    const std::size_t size = wholePages(bytes);
    if (size > m_bytes - m_used)
        return nullptr;
    void* block = m_start + m_used;
    m_used += size;
    return block;
}

void SharedArena::release(void* block, std::size_t bytes)
{
    TRAINYARD_CHECK(contains(block, bytes));
    ::fallocate(m_file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offsetOf(block)),
                static_cast<off_t>(wholePages(bytes)));
}

bool SharedArena::contains(const void* start, std::size_t bytes) const
{
    const auto* address = static_cast<const std::byte*>(start);
    return address >= m_start && address + bytes <= m_start + m_bytes;
}

std::size_t SharedArena::offsetOf(const void* address) const
{
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - m_start);
}

} // namespace trainyard
