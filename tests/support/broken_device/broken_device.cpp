// Lets a worker's next all-reduce fail as its GPU would, once the file /root/device_breaks is there. That has
// the code that CUDA returns, or "memory" where there is too little of it. The file is gone afterwards, so
// that the next attempt has a whole device.
#include <cstdlib>
#include <fstream>
#include <string>

#include <c10/util/Exception.h>
#include <mpi.h>
#include <unistd.h>

namespace {

constexpr const char* kFile = "/root/device_breaks";

std::string fault()
{
    std::ifstream file(kFile);
    std::string text;
    file >> text;
    return text;
}

void fail(const std::string& fault)
{
    ::unlink(kFile);
    TORCH_CHECK_WITH(OutOfMemoryError, fault != "memory", "CUDA out of memory");
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, std::atoi(fault.c_str()),
                                "CUDA error: " + fault);
}

} // namespace

extern "C" int MPI_Allreduce(const void* mine, void* sums, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm communicator)
{
    if (const std::string text = fault(); !text.empty())
        fail(text);
    return PMPI_Allreduce(mine, sums, count, type, op, communicator);
}
