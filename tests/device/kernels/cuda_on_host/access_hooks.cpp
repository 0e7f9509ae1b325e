#include <cstddef>

#include "tests/device/kernels/cuda_on_host/access_log.h"

// What GCC calls before each access to memory in code compiled with -fsanitize=thread. Defined here, so that
// no ThreadSanitizer is linked: fibers of one thread are what it could not tell apart.

#define HOOKS(BYTES)                                                                                         \
    void __tsan_read##BYTES(void* address)                                                                   \
    {                                                                                                        \
        log().onAccess(address, BYTES, false, __builtin_return_address(0));                                  \
    }                                                                                                        \
    void __tsan_write##BYTES(void* address)                                                                  \
    {                                                                                                        \
        log().onAccess(address, BYTES, true, __builtin_return_address(0));                                   \
    }                                                                                                        \
    void __tsan_unaligned_read##BYTES(void* address)                                                         \
    {                                                                                                        \
        log().onAccess(address, BYTES, false, __builtin_return_address(0));                                  \
    }                                                                                                        \
    void __tsan_unaligned_write##BYTES(void* address)                                                        \
    {                                                                                                        \
        log().onAccess(address, BYTES, true, __builtin_return_address(0));                                   \
    }

namespace {

trainyard::on_host::AccessLog& log()
{
    return trainyard::on_host::AccessLog::instance();
}

} // namespace

extern "C" {

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void* address, std::size_t bytes)
{
    log().onAccess(address, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes)
{
    log().onAccess(address, bytes, true, __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

} // extern "C"
