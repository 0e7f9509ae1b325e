#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <source_location>
#include <string>
#include <vector>

#include "tests/device/kernels/cuda_on_host/fiber.h"
#include "tests/device/kernels/cuda_on_host/launch_types.h"
#include "tests/device/kernels/cuda_on_host/shared_memory.h"

namespace trainyard::on_host {

/// Runs the blocks of a launch one after the other, and the threads of a block in a random order, the same in
/// every process, from barrier to barrier and from shuffle to shuffle. A fault ends the launch: threads of
/// one block at different barriers, a barrier or a shuffle that not all reach, a lane that does not take
/// part, a grid beyond the limits, or what AccessLog finds.
///
/// One per process, as there is one device. Launches of several threads come one after the other.
class BlockExecutor {
public:
    static BlockExecutor& instance();

    /// Calls thread(arguments) for every thread of every block.
    cudaError_t run(dim3 grid, dim3 block, void (*thread)(const void*), const void* arguments);

    /// What was wrong with the last launch; empty if nothing.
    const std::string& fault() const { return m_fault; }
    /// Blocks that launches run from now on, by their number in the grid (x fastest); empty: all.
    void runOnly(std::vector<std::uint64_t> blocks) { m_chosen = std::move(blocks); }

    // For the thread of a kernel that runs.

    void waitForBlock(const std::source_location& where);
    std::uint64_t exchange(unsigned mask, std::uint64_t value, int source, const std::source_location& where);
    int laneHere() const;
    void* sharedVariable(const void* key, std::size_t bytes, std::size_t alignment);
    /// Ends the launch; does not return.
    [[noreturn]] void fail(const std::string& what);

    std::span<const std::byte> sharedMemory() const { return m_shared.bytes(); }
    bool isInThread() const { return m_running != nullptr; }
    bool isOnStack(const void* address) const { return m_running->fiber.isOnStack(address); }
    std::uint32_t threadHere() const { return m_running->number; }
    std::uint64_t blockHere() const { return m_block; }
    /// Counts the barriers of the block.
    std::uint32_t epoch() const { return m_epoch; }
    /// Counts launches.
    std::uint32_t launchNumber() const { return m_launch; }
    static std::string nameOf(std::uint64_t block, std::uint32_t thread);

private:
    enum class State { Ready, AtBarrier, AtShuffle, Ended, Failed };

    struct Thread {
        Fiber fiber;
        std::uint32_t number = 0;
        State state = State::Ready;
        std::source_location where{}; ///< of the barrier or shuffle
        unsigned mask = 0;
        std::uint64_t value = 0;
        int source = 0;
    };

    bool runBlock(std::uint64_t number);
    void resumeReady();
    void resume(Thread& thread);
    void giveWay(State state, const std::source_location& where);
    bool releaseWarps();
    bool releaseWarp(std::size_t firstThread);
    void exchangeLanes(std::size_t firstThread, unsigned mask);
    bool releaseBlock();
    std::string describe(const Thread& thread) const;
    bool note(const std::string& what);

    std::mutex m_mutex;
    std::mt19937 m_random;
    std::vector<std::unique_ptr<Thread>> m_threads; ///< grows to the largest block
    std::vector<std::uint32_t> m_order;
    std::size_t m_count = 0; ///< threads of the block
    std::vector<std::uint64_t> m_chosen;
    SharedMemory m_shared;
    void (*m_kernel)(const void*) = nullptr;
    const void* m_arguments = nullptr;
    Thread* m_running = nullptr;
    std::uint64_t m_block = 0;
    std::uint32_t m_epoch = 0;
    std::uint32_t m_launch = 0;
    std::string m_fault;
};

/// Launches run only these blocks of their grids while it lives.
class SomeBlocks {
public:
    explicit SomeBlocks(std::vector<std::uint64_t> blocks)
    {
        BlockExecutor::instance().runOnly(std::move(blocks));
    }
    ~SomeBlocks() { BlockExecutor::instance().runOnly({}); }
    SomeBlocks(const SomeBlocks&) = delete;
};

} // namespace trainyard::on_host
