#include "engine/comm/mpi_transport.h"

#include <algorithm>
#include <cstring>
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

MpiTransport::MpiTransport(MPI_Comm communicator) : m_communicator(communicator)
{
    MPI_Comm_rank(m_communicator, &m_rank.value);
    MPI_Comm_size(m_communicator, &m_size.value);
}

MpiTransport::~MpiTransport()
{
    for (Outgoing& message : m_outgoing)
        MPI_Wait(&message.request, MPI_STATUS_IGNORE);
    if (m_communicator != MPI_COMM_WORLD)
        MPI_Comm_free(&m_communicator);
}

void MpiTransport::allReduce(FloatSpan values, ReduceOp op)
{
    const std::size_t piece = kPieceBytes / sizeOf(values.type);
    for (std::size_t first = 0; first < values.count; first += piece) {
        const FloatSpan part = values.part(first, std::min(piece, values.count - first));
        MPI_Allreduce(MPI_IN_PLACE, part.data, static_cast<int>(part.count), mpiType(part.type), mpiOp(op),
                      m_communicator);
    }
}

void MpiTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    for (std::size_t first = 0; first < bytes.size(); first += kPieceBytes) {
        const auto part = bytes.subspan(first, std::min(kPieceBytes, bytes.size() - first));
        MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root.value, m_communicator);
    }
}

std::vector<std::string> MpiTransport::gather(std::string_view bytes)
{
    const bool root = m_rank.value == 0;
    const std::size_t ranks = root ? static_cast<std::size_t>(m_size.value) : 0;
    const int mine = toCount(bytes.size());
    std::vector<int> sizes(ranks);
    MPI_Gather(&mine, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, m_communicator);

    std::vector<int> offsets(ranks);
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), '\0');
    toCount(all.size());
    MPI_Gatherv(bytes.data(), mine, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, 0,
                m_communicator);

    std::vector<std::string> gathered;
    for (std::size_t r = 0; r < ranks; ++r)
        gathered.push_back(
            all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(sizes[r])));
    return gathered;
}

void MpiTransport::barrier()
{
    MPI_Barrier(m_communicator);
}

void MpiTransport::allGather(std::span<std::byte> all)
{
    const std::size_t part = all.size() / static_cast<std::size_t>(m_size.value);
    TRAINYARD_CHECK(part * static_cast<std::size_t>(m_size.value) == all.size());
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), toCount(part), MPI_BYTE, m_communicator);
}

void MpiTransport::reduceScatter(FloatSpan values)
{
    const std::size_t count = values.count / static_cast<std::size_t>(m_size.value);
    TRAINYARD_CHECK(count * static_cast<std::size_t>(m_size.value) == values.count);
    const FloatSpan mine = values.part(count * static_cast<std::size_t>(m_rank.value), count);
    m_scratch.resize(mine.bytes());
    MPI_Reduce_scatter_block(values.data, m_scratch.data(), toCount(count), mpiType(values.type), MPI_SUM,
                             m_communicator);
    std::memcpy(mine.data, m_scratch.data(), m_scratch.size());
}

void MpiTransport::dropSent()
{
    m_outgoing.remove_if([](Outgoing& message) {
        int sent = 0;
        MPI_Test(&message.request, &sent, MPI_STATUS_IGNORE);
        return sent != 0;
    });
}

void MpiTransport::send(std::span<const std::byte> bytes, Rank to)
{
    dropSent();
    Outgoing& message = m_outgoing.emplace_back(Outgoing{{bytes.begin(), bytes.end()}});
    MPI_Isend(message.bytes.data(), toCount(bytes.size()), MPI_BYTE, to.value, 0, m_communicator,
              &message.request);
}

void MpiTransport::receive(std::span<std::byte> bytes, Rank from)
{
    MPI_Recv(bytes.data(), toCount(bytes.size()), MPI_BYTE, from.value, 0, m_communicator, MPI_STATUS_IGNORE);
}

} // namespace trainyard
