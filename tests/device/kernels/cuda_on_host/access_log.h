#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::on_host {

/// Who read and wrote each element of device and shared memory during a launch. Ends the launch where two
/// threads touch the same byte, one of them writing, and neither a barrier between them (in a block) nor the
/// end of the launch (between blocks) gives them an order; where shared memory is read that its block has not
/// written; and where anything is written outside of both.
///
/// Works in kernels that were compiled with -fsanitize=thread, whose calls end here (access_hooks.cpp) and
/// not in ThreadSanitizer.
class AccessLog {
public:
    static AccessLog& instance();

    /// Device memory from now on, of elements that are read and written as a whole.
    void add(const void* begin, std::size_t bytes, std::size_t elementBytes);
    /// The same, of which only the bounds are checked.
    void addUnobserved(const void* begin, std::size_t bytes);
    void remove(const void* begin);

    /// An access by the thread of a kernel that runs; `code`: an address in it.
    void onAccess(const void* address, std::size_t bytes, bool writes, const void* code);

private:
    /// Small, because there are three for every element.
    struct Access {
        std::uint32_t block = 0;
        std::uint32_t launch : 12 = 0; ///< 1 to 4095, in turn; 0: none
        std::uint32_t epoch : 10 = 0;  ///< modulo 1024
        std::uint32_t thread : 10 = 0;
    };
    /// Of one element. Two readers are enough: a third thread that writes differs from one of them.
    struct Cell {
        Access write;
        Access reads[2];
    };
    struct Region {
        const std::byte* begin;
        std::size_t bytes;
        std::size_t elementBytes;
        bool isShared;
        std::vector<Cell> cells; ///< empty where only the bounds count
    };

    AccessLog();
    Region* regionOf(const std::byte* address);
    static Access accessNow();
    static bool isConcurrent(const Access& earlier, const Access& now, bool isShared);
    void checkElement(const Region& region, Cell& cell, bool writes, const void* code);

    std::vector<Region> m_regions;
};

} // namespace trainyard::on_host
