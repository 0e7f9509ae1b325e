#include "engine/comm/mpi_transport.h"

#include <algorithm>
#include <mpi.h>
#include <numeric>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// Larger messages leave the caches and make OpenMPI allocate temporaries of the message's size.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

MPI_Datatype mpiType(FloatType type)
{
    return type == FloatType::Float64 ? MPI_DOUBLE : MPI_FLOAT;
}

MPI_Op mpiOp(ReduceOp op)
{
    return op == ReduceOp::Max ? MPI_MAX : MPI_SUM;
}

/// MPI counts in int; whoever has more to gather wants a file.
int toCount(std::size_t bytes)
{
    TRAINYARD_CHECK(bytes < (std::size_t{1} << 31));
    return static_cast<int>(bytes);
}

} // namespace

void MpiTransport::allReduce(FloatSpan values, ReduceOp op)
{
    const std::size_t piece = kPieceBytes / sizeOf(values.type);
    for (std::size_t first = 0; first < values.count; first += piece) {
        const FloatSpan part = values.part(first, std::min(piece, values.count - first));
        MPI_Allreduce(MPI_IN_PLACE, part.data, static_cast<int>(part.count), mpiType(part.type), mpiOp(op),
                      MPI_COMM_WORLD);
    }
}

void MpiTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    for (std::size_t first = 0; first < bytes.size(); first += kPieceBytes) {
        const auto part = bytes.subspan(first, std::min(kPieceBytes, bytes.size() - first));
        MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root.value, MPI_COMM_WORLD);
    }
}

std::vector<std::string> MpiTransport::gather(std::string_view bytes)
{
    const bool root = m_rank.value == 0;
    const std::size_t ranks = root ? static_cast<std::size_t>(m_size.value) : 0;
    const int mine = toCount(bytes.size());
    std::vector<int> sizes(ranks);
    MPI_Gather(&mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);

    std::vector<int> offsets(ranks);
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), '\0');
    toCount(all.size());
    MPI_Gatherv(bytes.data(), mine, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, 0,
                MPI_COMM_WORLD);

    std::vector<std::string> gathered;
    for (std::size_t r = 0; r < ranks; ++r)
        gathered.push_back(
            all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(sizes[r])));
    return gathered;
}

void MpiTransport::barrier()
{
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace trainyard
