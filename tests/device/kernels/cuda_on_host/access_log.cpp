#include "tests/device/kernels/cuda_on_host/access_log.h"

#include <dlfcn.h>

#include <cstdio>

#include "tests/device/kernels/cuda_on_host/block_executor.h"

namespace trainyard::on_host {

namespace {

// "file.cu:12", by binutils' addr2line; the address itself where that is missing.
std::string lineOf(const void* code)
{
    Dl_info info{};
    if (!dladdr(code, &info) || !info.dli_fname)
        return "?";
    const auto offset = static_cast<const std::byte*>(code) - static_cast<const std::byte*>(info.dli_fbase);
    char command[4096];
    std::snprintf(command, sizeof command, "addr2line -s -e '%s' 0x%zx 2>/dev/null", info.dli_fname,
                  static_cast<std::size_t>(offset - 1)); // the call, not what comes after it
    char line[512] = {};
    if (FILE* const output = popen(command, "r")) {
        if (!std::fgets(line, sizeof line, output))
            line[0] = 0;
        pclose(output);
    }
    std::string text(line);
    text = text.substr(0, text.find_first_of(" \n"));
    return text.empty() ? "code at offset " + std::to_string(offset) : text;
}

} // namespace

AccessLog& AccessLog::instance()
{
    static AccessLog log;
    return log;
}

AccessLog::AccessLog()
{
    const auto shared = BlockExecutor::instance().sharedMemory();
    m_regions.push_back({shared.data(), shared.size(), 1, true, std::vector<Cell>(shared.size())});
}

void AccessLog::add(const void* begin, std::size_t bytes, std::size_t elementBytes)
{
    m_regions.push_back({static_cast<const std::byte*>(begin), bytes, elementBytes, false,
                         std::vector<Cell>(bytes / elementBytes)});
}

void AccessLog::addUnobserved(const void* begin, std::size_t bytes)
{
    m_regions.push_back({static_cast<const std::byte*>(begin), bytes, 1, false, {}});
}

void AccessLog::remove(const void* begin)
{
    std::erase_if(m_regions, [begin](const Region& region) { return region.begin == begin; });
}

void AccessLog::onAccess(const void* address, std::size_t bytes, bool writes, const void* code)
{
    BlockExecutor& executor = BlockExecutor::instance();
    if (!executor.isInThread() || executor.isOnStack(address))
        return;
    const auto* first = static_cast<const std::byte*>(address);
    Region* region = regionOf(first);
    if (!region) {
        if (writes)
            executor.fail("writes outside of device memory at " + lineOf(code));
        return; // constants, and parameters of the launch
    }
    const auto offset = static_cast<std::size_t>(first - region->begin);
    if (offset + bytes > region->bytes)
        executor.fail("reaches beyond its array at " + lineOf(code));
    if (region->cells.empty())
        return;
    const std::size_t last = (offset + bytes - 1) / region->elementBytes;
    for (std::size_t element = offset / region->elementBytes; element <= last; ++element)
        checkElement(*region, region->cells[element], writes, code);
}

AccessLog::Region* AccessLog::regionOf(const std::byte* address)
{
    for (Region& region : m_regions) {
        if (address >= region.begin && address < region.begin + region.bytes)
            return &region;
    }
    return nullptr;
}

AccessLog::Access AccessLog::accessNow()
{
    const BlockExecutor& executor = BlockExecutor::instance();
    return {static_cast<std::uint32_t>(executor.blockHere()), executor.launchNumber() % 4095 + 1,
            executor.epoch() % 1024, executor.threadHere()};
}

bool AccessLog::isConcurrent(const Access& earlier, const Access& now, bool isShared)
{
    if (earlier.launch != now.launch)
        return false;
    if (earlier.block != now.block)
        return !isShared; // each block has shared memory of its own
    return earlier.epoch == now.epoch && earlier.thread != now.thread;
}

void AccessLog::checkElement(const Region& region, Cell& cell, bool writes, const void* code)
{
    BlockExecutor& executor = BlockExecutor::instance();
    const Access now = accessNow();
    const auto failWith = [&](const Access& other, const char* did) {
        executor.fail(std::string(writes ? "writes" : "reads") + " at " + lineOf(code) + " what " +
                      BlockExecutor::nameOf(other.block, other.thread) + " " + did +
                      " without a barrier between");
    };
    if (isConcurrent(cell.write, now, region.isShared))
        failWith(cell.write, writes ? "has written" : "writes");
    if (!writes) {
        if (region.isShared && (cell.write.launch != now.launch || cell.write.block != now.block))
            executor.fail("reads shared memory that its block has not written, at " + lineOf(code));
        const bool isFree = !isConcurrent(cell.reads[0], now, region.isShared);
        cell.reads[isFree ? 0 : 1] = now;
        return;
    }
    for (const Access& read : cell.reads) {
        if (isConcurrent(read, now, region.isShared))
            failWith(read, "reads");
    }
    cell.write = now;
}

} // namespace trainyard::on_host
