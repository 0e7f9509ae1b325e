#include "tests/device/kernels/cuda_on_host/block_executor.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/device/kernels/cuda_on_host/cuda_on_host.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace trainyard::on_host {

namespace {

// CUDA C++ Programming Guide 13.0, "Compute Capabilities": the same from 7.5 to 12.0.
constexpr std::uint64_t kMaxGridX = (std::uint64_t{1} << 31) - 1;
constexpr unsigned kMaxGridYZ = 65535;
constexpr unsigned kMaxBlockZ = 64;
constexpr std::uint64_t kMaxThreads = 1024;

uint3 coordinates(std::uint64_t number, dim3 extent)
{
    return {static_cast<unsigned>(number % extent.x), static_cast<unsigned>(number / extent.x % extent.y),
            static_cast<unsigned>(number / extent.x / extent.y)};
}

std::string print(uint3 place)
{
    return "(" + std::to_string(place.x) + ", " + std::to_string(place.y) + ", " + std::to_string(place.z) +
           ")";
}

std::string print(const std::source_location& where)
{
    const char* slash = std::strrchr(where.file_name(), '/');
    return std::string(slash ? slash + 1 : where.file_name()) + ":" + std::to_string(where.line());
}

bool isSame(const std::source_location& a, const std::source_location& b)
{
    return a.line() == b.line() && a.column() == b.column() && !std::strcmp(a.file_name(), b.file_name());
}

std::string brokenLimit(dim3 grid, dim3 block)
{
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0)
        return "the grid or the block is empty";
    if (grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ)
        return "the grid " + print({grid.x, grid.y, grid.z}) + " is too large";
    if (threads > kMaxThreads || block.z > kMaxBlockZ)
        return "the block " + print({block.x, block.y, block.z}) + " is too large";
    return {};
}

} // namespace

BlockExecutor& BlockExecutor::instance()
{
    static BlockExecutor executor;
    return executor;
}

cudaError_t BlockExecutor::run(dim3 grid, dim3 block, void (*thread)(const void*), const void* arguments)
{
    const std::lock_guard lock(m_mutex);
    m_fault = brokenLimit(grid, block);
    if (!m_fault.empty())
        return cudaErrorInvalidConfiguration;
    ++m_launch;
    m_kernel = thread;
    m_arguments = arguments;
    m_count = std::size_t{block.x} * block.y * block.z;
    while (m_threads.size() < m_count) {
        m_threads.push_back(std::make_unique<Thread>());
        m_threads.back()->number = static_cast<std::uint32_t>(m_threads.size() - 1);
    }
    gridDim = grid;
    blockDim = block;
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    if (m_chosen.empty()) {
        for (std::uint64_t number = 0; number < blocks; ++number) {
            if (!runBlock(number))
                return cudaErrorLaunchFailure;
        }
    }
    for (const std::uint64_t number : m_chosen) {
        if (number < blocks && !runBlock(number))
            return cudaErrorLaunchFailure;
    }
    return cudaSuccess;
}

bool BlockExecutor::runBlock(std::uint64_t number)
{
    m_block = number;
    m_epoch = 0;
    blockIdx = coordinates(number, gridDim);
    m_shared.beginBlock();
    m_order.resize(m_count);
    std::iota(m_order.begin(), m_order.end(), 0u);
    for (std::size_t i = 0; i < m_count; ++i) {
        Thread& thread = *m_threads[i];
        thread.state = State::Ready;
        thread.fiber.start(
            [](void* self) {
                auto& executor = *static_cast<BlockExecutor*>(self);
                executor.m_kernel(executor.m_arguments);
                executor.m_running->state = State::Ended;
            },
            this);
    }
    while (true) {
        resumeReady();
        if (!m_fault.empty())
            return false;
        const auto hasEnded = [](const auto& thread) { return thread->state == State::Ended; };
        if (std::all_of(m_threads.begin(), m_threads.begin() + std::ptrdiff_t(m_count), hasEnded))
            return true;
        if (!releaseWarps() && !releaseBlock())
            return false;
    }
}

void BlockExecutor::resumeReady()
{
    std::shuffle(m_order.begin(), m_order.end(), m_random);
    for (const std::uint32_t i : m_order) {
        if (m_threads[i]->state == State::Ready && m_fault.empty())
            resume(*m_threads[i]);
    }
}

void BlockExecutor::resume(Thread& thread)
{
    threadIdx = coordinates(thread.number, blockDim);
    m_running = &thread;
    thread.fiber.resume();
    m_running = nullptr;
}

void BlockExecutor::giveWay(State state, const std::source_location& where)
{
    Thread& self = *m_running;
    self.state = state;
    self.where = where;
    m_running = nullptr;
    self.fiber.giveWay();
}

void BlockExecutor::waitForBlock(const std::source_location& where)
{
    giveWay(State::AtBarrier, where);
}

std::uint64_t BlockExecutor::exchange(unsigned mask, std::uint64_t value, int source,
                                      const std::source_location& where)
{
    Thread& self = *m_running;
    self.mask = mask;
    self.value = value;
    self.source = source;
    giveWay(State::AtShuffle, where);
    return self.value;
}

int BlockExecutor::laneHere() const
{
    return static_cast<int>(m_running->number % kWarp);
}

void* BlockExecutor::sharedVariable(const void* key, std::size_t bytes, std::size_t alignment)
{
    void* const variable = m_shared.variable(key, bytes, alignment);
    if (!variable)
        fail("has more than " + std::to_string(SharedMemory::kMaxBytes) + " bytes of static shared memory");
    return variable;
}

void BlockExecutor::fail(const std::string& what)
{
    note(describe(*m_running) + " " + what);
    giveWay(State::Failed, {});
    std::abort(); // nobody resumes it
}

// Whether any shuffle could be answered.
bool BlockExecutor::releaseWarps()
{
    bool released = false;
    for (std::size_t first = 0; first < m_count && m_fault.empty(); first += kWarp)
        released |= releaseWarp(first);
    return released;
}

bool BlockExecutor::releaseWarp(std::size_t firstThread)
{
    const std::size_t end = std::min(firstThread + kWarp, m_count);
    for (std::size_t i = firstThread; i < end; ++i) {
        const Thread& asking = *m_threads[i];
        if (asking.state != State::AtShuffle)
            continue;
        for (std::size_t lane = 0; lane < kWarp; ++lane) {
            if (!(asking.mask >> lane & 1))
                continue;
            if (firstThread + lane >= m_count)
                return note(describe(asking) + " with lane " + std::to_string(lane) +
                            ", which the block does not have");
            const Thread& other = *m_threads[firstThread + lane];
            if (other.state != State::AtShuffle || !isSame(other.where, asking.where) ||
                other.mask != asking.mask)
                return note(describe(asking) + ", but " + describe(other));
        }
        if (!(asking.mask >> (i - firstThread) & 1))
            return note(describe(asking) + " without being in its mask");
        exchangeLanes(firstThread, asking.mask);
        return m_fault.empty();
    }
    return false;
}

void BlockExecutor::exchangeLanes(std::size_t firstThread, unsigned mask)
{
    std::uint64_t values[kWarp] = {};
    for (std::size_t lane = 0; lane < kWarp; ++lane) {
        if (mask >> lane & 1)
            values[lane] = m_threads[firstThread + lane]->value;
    }
    for (std::size_t lane = 0; lane < kWarp; ++lane) {
        if (!(mask >> lane & 1))
            continue;
        Thread& thread = *m_threads[firstThread + lane];
        if (thread.source < 0 || thread.source >= kWarp || !(mask >> thread.source & 1)) {
            note(describe(thread) + " and reads lane " + std::to_string(thread.source) +
                 ", which does not take part");
            return;
        }
        thread.value = values[thread.source];
        thread.state = State::Ready;
    }
}

bool BlockExecutor::releaseBlock()
{
    if (!m_fault.empty())
        return false;
    const Thread* waiting = nullptr;
    for (std::size_t i = 0; i < m_count; ++i) {
        if (m_threads[i]->state == State::AtBarrier)
            waiting = m_threads[i].get();
    }
    for (std::size_t i = 0; i < m_count; ++i) {
        const Thread& other = *m_threads[i];
        if (other.state != State::AtBarrier || !isSame(other.where, waiting->where))
            return note(describe(*waiting) + ", but " + describe(other));
    }
    for (std::size_t i = 0; i < m_count; ++i)
        m_threads[i]->state = State::Ready;
    ++m_epoch;
    return true;
}

std::string BlockExecutor::describe(const Thread& thread) const
{
    const std::string name = nameOf(m_block, thread.number);
    switch (thread.state) {
    case State::AtBarrier:
        return name + " waits at the barrier of " + print(thread.where);
    case State::AtShuffle:
        return name + " shuffles at " + print(thread.where);
    case State::Ended:
        return name + " has left the kernel";
    default:
        return name;
    }
}

std::string BlockExecutor::nameOf(std::uint64_t block, std::uint32_t thread)
{
    return "block " + print(coordinates(block, gridDim)) + ", thread " + print(coordinates(thread, blockDim));
}

bool BlockExecutor::note(const std::string& what)
{
    if (m_fault.empty())
        m_fault = what;
    return false;
}

cudaError_t run(dim3 grid, dim3 block, void (*thread)(const void*), const void* arguments)
{
    return BlockExecutor::instance().run(grid, block, thread, arguments);
}

void waitForBlock(const std::source_location& where)
{
    BlockExecutor::instance().waitForBlock(where);
}

std::uint64_t exchange(unsigned mask, std::uint64_t value, int source, const std::source_location& where)
{
    return BlockExecutor::instance().exchange(mask, value, source, where);
}

int laneHere()
{
    return BlockExecutor::instance().laneHere();
}

void* sharedVariable(const void* key, std::size_t bytes, std::size_t alignment)
{
    return BlockExecutor::instance().sharedVariable(key, bytes, alignment);
}

} // namespace trainyard::on_host
