// libcudart's functions on memory.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/cudart/errors.h"
#include "tests/device/stand_in/cudart/findings.h"

using namespace trainyard::stand_in;

namespace {

/// Page-locked host memory.
class PinnedMemory {
public:
    void add(void* start, std::size_t bytes)
    {
        const std::lock_guard lock(m_mutex);
        m_blocks[static_cast<std::byte*>(start)] = bytes;
    }
    bool remove(void* start)
    {
        const std::lock_guard lock(m_mutex);
        return m_blocks.erase(static_cast<std::byte*>(start)) > 0;
    }
    bool contains(const void* pointer)
    {
        const auto* const byte = static_cast<const std::byte*>(pointer);
        const std::lock_guard lock(m_mutex);
        auto block = m_blocks.upper_bound(const_cast<std::byte*>(byte));
        return block != m_blocks.begin() && byte < (--block)->first + block->second;
    }

private:
    std::mutex m_mutex;
    std::map<std::byte*, std::size_t> m_blocks;
};

PinnedMemory& pinned()
{
    static auto* const memory = new PinnedMemory;
    return *memory;
}

std::byte* reachable(const void* pointer)
{
    const DeviceMemory& memory = device().memory;
    return memory.contains(pointer) ? memory.view(pointer)
                                    : const_cast<std::byte*>(static_cast<const std::byte*>(pointer));
}

bool isPageable(const void* pointer)
{
    return !device().memory.contains(pointer) && !pinned().contains(pointer);
}

/// From pageable memory a copy has been read when the call returns; into it, it has been made.
void copy(void* to, const void* from, std::size_t bytes, Stream& stream)
{
    std::shared_ptr<std::vector<std::byte>> staged;
    if (isPageable(from)) {
        const auto* const start = static_cast<const std::byte*>(from);
        staged = std::make_shared<std::vector<std::byte>>(start, start + bytes);
    }
    device().launch(stream, "cudaMemcpyAsync", {{from, bytes, false}, {to, bytes, true}},
                    [=] { std::memmove(reachable(to), staged ? staged->data() : reachable(from), bytes); });
    if (isPageable(to))
        device().finish(stream);
}

void set(void* to, int value, std::size_t bytes, Stream& stream)
{
    device().launch(stream, "cudaMemsetAsync", {{to, bytes, true}},
                    [=] { std::memset(reachable(to), value, bytes); });
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes)
{
    TRAINYARD_STAND_IN_ALIVE();
    const std::uintptr_t address = bytes > 0 ? device().memory.allocate(bytes) : 0;
    if (bytes > 0 && address == 0)
        return failedWith(cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

// Waits for everything that the device was given, as CUDA does.
cudaError_t cudaFree(void* pointer)
{
    TRAINYARD_STAND_IN_ALIVE();
    if (!pointer)
        return cudaSuccess;
    device().finishAll();
    const std::size_t bytes = device().memory.free(reinterpret_cast<std::uintptr_t>(pointer));
    if (bytes == 0) {
        reportFinding("cudaFree of memory that was not allocated");
        return failedWith(cudaErrorInvalidValue);
    }
    device().order.forget(pointer, bytes);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned)
{
    TRAINYARD_STAND_IN_ALIVE();
    *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    pinned().add(*pointer, bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* pointer)
{
    device().finishAll();
    pinned().remove(pointer);
    std::free(pointer);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned)
{
    TRAINYARD_STAND_IN_ALIVE();
    pinned().add(pointer, bytes);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer)
{
    device().finishAll();
    return pinned().remove(pointer) ? cudaSuccess : failedWith(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total)
{
    TRAINYARD_STAND_IN_ALIVE();
    *free = device().memory.freeBytes();
    *total = device().memory.totalBytes();
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    TRAINYARD_STAND_IN_ALIVE();
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2; // as CUDA says of memory that it does not know
    if (device().memory.contains(pointer)) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->device = 0;
        attributes->devicePointer = const_cast<void*>(pointer);
    } else if (pinned().contains(pointer)) {
        attributes->type = cudaMemoryTypeHost;
        attributes->device = 0;
        attributes->hostPointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
    TRAINYARD_STAND_IN_ALIVE();
    copy(to, from, bytes, device().streamOf(stream));
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind)
{
    TRAINYARD_STAND_IN_ALIVE();
    Stream& stream = device().streamOf(nullptr);
    copy(to, from, bytes, stream);
    device().finish(stream);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream)
{
    TRAINYARD_STAND_IN_ALIVE();
    set(to, value, bytes, device().streamOf(stream));
    return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
}
