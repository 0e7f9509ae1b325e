// libcudart's functions on kernels.
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <unordered_map>

#include <cuda_runtime_api.h>

#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/cudart/errors.h"
#include "tests/device/stand_in/cudart/findings.h"
#include "tests/device/stand_in/cudart/kernels.h"

using namespace trainyard::stand_in;

namespace {

/// By the address of the host function that stands for the kernel: libraries register theirs when they are
/// opened.
class KernelNames {
public:
    void add(const void* function, const char* mangled)
    {
        const std::lock_guard lock(m_mutex);
        m_mangled[function] = mangled;
    }
    std::string of(const void* function)
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_mangled.find(function);
        return known == m_mangled.end() ? "an unknown kernel" : demangled(known->second);
    }

private:
    static std::string demangled(const char* name)
    {
        int status = 0;
        const std::unique_ptr<char, void (*)(void*)> text(
            abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
        return status == 0 ? text.get() : name;
    }

    std::mutex m_mutex;
    std::unordered_map<const void*, const char*> m_mangled;
};

KernelNames& names()
{
    static auto* const names = new KernelNames;
    return *names;
}

} // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* binary)
{
    return static_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

void __cudaRegisterFunction(void**, const char* hostFunction, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*)
{
    names().add(hostFunction, name);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFunction)
{
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(hostFunction));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void** arguments, size_t, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, {}, {}, arguments, 0, stream);
}

cudaError_t cudaLaunchKernel(const void* hostFunction, dim3, dim3, void** arguments, size_t,
                             cudaStream_t stream)
{
    TRAINYARD_STAND_IN_ALIVE();
    const std::string name = names().of(hostFunction);
    auto work = hostVersion(name, arguments);
    if (!work)
        lacks("host version of the kernel " + name);
    device().launch(device().streamOf(stream), name.substr(0, name.find('(')), std::move(work->accesses),
                    std::move(work->run));
    return cudaSuccess;
}

struct LaunchConfiguration {
    dim3 grid;
    dim3 block;
    size_t shared;
    cudaStream_t stream;
};
static thread_local LaunchConfiguration pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    pushed = {grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *static_cast<cudaStream_t*>(stream) = pushed.stream;
    return cudaSuccess;
}
}
