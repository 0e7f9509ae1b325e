#include "tests/device/simulated/memory/block_pool.h"

#include <algorithm>
#include <cstring>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr int kNotANumber = 0xff; // in all bytes, of every floating-point type

} // namespace

const MemoryBlock* BlockPool::allocate(const Request& request)
{
    const std::size_t pieces = std::max<std::size_t>(1, (request.bytes + m_granularity - 1) / m_granularity);
    const std::size_t room = pieces * m_granularity;
    auto& free = m_free[{request.device, request.stream, room}];
    std::byte* begin = nullptr;
    if (!free.empty()) {
        begin = m_blocks.at(free.back()).begin;
        free.pop_back();
    } else if (m_used + room <= m_memory.bytes()) {
        begin = m_memory.begin() + m_used;
        m_used += room;
    } else {
        return nullptr;
    }
    std::memset(m_memory.executors(begin), kNotANumber, room);
    MemoryBlock& block = m_blocks[begin];
    block = {begin, request.bytes, room, request.device, request.stream, request.madeBy, false};
    return &block;
}

const MemoryBlock& BlockPool::free(const void* begin)
{
    const auto found = m_blocks.find(static_cast<const std::byte*>(begin));
    TRAINYARD_CHECK(found != m_blocks.end() && !found->second.isFree);
    MemoryBlock& block = found->second;
    block.isFree = true;
    m_free[{block.device, block.stream, block.room}].push_back(block.begin);
    return block;
}

const MemoryBlock* BlockPool::find(const void* guarded) const
{
    const auto* address = static_cast<const std::byte*>(guarded);
    auto after = m_blocks.upper_bound(address);
    if (after == m_blocks.begin())
        return nullptr;
    const MemoryBlock& block = std::prev(after)->second;
    return address < block.begin + block.room ? &block : nullptr;
}

} // namespace trainyard
