#include "engine/comm/mpi_transport.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "engine/base/check.h"
#include "engine/base/shared_arena.h"
#include "engine/comm/low_precision_floats.h"
#include "engine/comm/mpi_outbox.h"
#include "engine/comm/shared_collectives.h"
#include "engine/comm/shared_segments.h"

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

/// How long a waiting rank sleeps before it lets MPI work again. MPI moves a message in many small steps.
constexpr std::chrono::microseconds kSleepWithMessages{50};
constexpr std::chrono::milliseconds kSleep{1};

/// Looking for the others is a waste where they need this rank's core to come.
std::chrono::nanoseconds spinTime(WorldSize ranks)
{
    const bool haveCores = static_cast<unsigned>(ranks.value) <= std::thread::hardware_concurrency();
    return haveCores ? Patience().spin : std::chrono::nanoseconds(0);
}

/// MPI counts in int; whoever has more to gather wants a file.
int toCount(std::size_t bytes)
{
    TRAINYARD_CHECK(bytes < (std::size_t{1} << 31));
    return static_cast<int>(bytes);
}

} // namespace

MpiTransport::MpiTransport(MPI_Comm communicator, std::shared_ptr<MpiOutbox> outbox, const SharedArena* arena)
    : m_communicator(communicator), m_outbox(std::move(outbox)), m_arena(arena)
{
    MPI_Comm_rank(m_communicator, &m_rank.value);
    MPI_Comm_size(m_communicator, &m_size.value);
}

MpiTransport::~MpiTransport()
{
    // Messages that nobody has received yet still refer to the communicator.
    m_outbox->finish(m_communicator);
    if (m_communicator != MPI_COMM_WORLD)
        MPI_Comm_free(&m_communicator);
}

SharedCollectives* MpiTransport::shared()
{
    if (m_hasTriedToShare || m_size.value == 1)
        return m_shared.get();
    m_hasTriedToShare = true;
    m_segments = SharedSegments::create(m_communicator, SharedCollectives::segmentBytes(m_size.value));
    if (!m_segments)
        return nullptr;
    const Patience patience{spinTime(m_size), [outbox = m_outbox]() -> std::chrono::nanoseconds {
                                return outbox->progress() ? kSleepWithMessages : kSleep;
                            }};
    // Mapping is a collective call: a rank without an arena takes part too, and then no rank has any.
    const FileDescriptor none;
    m_arenas = SharedSegments::map(m_communicator, m_arena ? m_arena->file() : none);
    m_shared = std::make_unique<SharedCollectives>(m_segments->starts(), m_rank, patience,
                                                   m_arenas ? ReachedArenas{m_arena, m_arenas->starts()}
                                                            : ReachedArenas());
    return m_shared.get();
}

void MpiTransport::allReduce(FloatSpan values, ReduceOp op)
{
    if (SharedCollectives* const host = shared())
        return host->allReduce(values, op);
    const std::size_t piece = kPieceBytes / sizeOf(values.type);
    for (std::size_t first = 0; first < values.count; first += piece)
        allReducePiece(values.part(first, std::min(piece, values.count - first)), op);
}

void MpiTransport::allReducePiece(FloatSpan values, ReduceOp op)
{
    const int count = static_cast<int>(values.count);
    if (!isNarrow(values.type)) {
        MPI_Allreduce(MPI_IN_PLACE, values.data, count, mpiType(values.type), mpiOp(op), m_communicator);
        return;
    }
    // In float32: MPI has no operation for 16-bit floats, and sums of many ranks would lose bits in them.
    std::vector<float> wide(values.count);
    widen(values, wide.data());
    MPI_Allreduce(MPI_IN_PLACE, wide.data(), count, MPI_FLOAT, mpiOp(op), m_communicator);
    narrow(wide.data(), values);
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
    if (SharedCollectives* const host = shared())
        return host->allGather(all);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), toCount(part), MPI_BYTE, m_communicator);
}

void MpiTransport::reduceScatter(FloatSpan values)
{
    const std::size_t count = values.count / static_cast<std::size_t>(m_size.value);
    TRAINYARD_CHECK(count * static_cast<std::size_t>(m_size.value) == values.count);
    if (SharedCollectives* const host = shared())
        return host->reduceScatter(values);
    // All-reduce widens them piece by piece; the other parts of the result are unspecified anyway.
    if (isNarrow(values.type))
        return allReduce(values, ReduceOp::Sum);
    const FloatSpan mine = values.part(count * static_cast<std::size_t>(m_rank.value), count);
    // Not in place: MPI would put the sums at the start of the buffer, and part rank() is where they belong.
    m_scratch.resize(mine.bytes());
    MPI_Reduce_scatter_block(values.data, m_scratch.data(), toCount(count), mpiType(values.type), MPI_SUM,
                             m_communicator);
    std::memcpy(mine.data, m_scratch.data(), m_scratch.size());
}

void MpiTransport::send(std::span<const std::byte> bytes, Rank to)
{
    m_outbox->send(bytes, to, m_communicator);
}

void MpiTransport::receive(std::span<std::byte> bytes, Rank from)
{
    MPI_Recv(bytes.data(), toCount(bytes.size()), MPI_BYTE, from.value, 0, m_communicator, MPI_STATUS_IGNORE);
}

// A message that has been announced comes without this rank's help: its sender's outbox moves it on.
bool MpiTransport::tryReceive(std::span<std::byte> bytes, Rank from)
{
    int arrived = 0;
    MPI_Iprobe(from.value, 0, m_communicator, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0)
        receive(bytes, from);
    return arrived != 0;
}

// In messages whose bytes MPI can count; both sides know how many there are, as sizes agree.
void MpiTransport::exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from)
{
    constexpr std::size_t kMessageBytes = std::size_t{1} << 30;
    while (!out.empty() || !in.empty()) {
        const auto sent = out.first(std::min(out.size(), kMessageBytes));
        const auto received = in.first(std::min(in.size(), kMessageBytes));
        MPI_Sendrecv(sent.data(), toCount(sent.size()), MPI_BYTE, sent.empty() ? MPI_PROC_NULL : to, 0,
                     received.data(), toCount(received.size()), MPI_BYTE,
                     received.empty() ? MPI_PROC_NULL : from, 0, m_communicator, MPI_STATUS_IGNORE);
        out = out.subspan(sent.size());
        in = in.subspan(received.size());
    }
}

void MpiTransport::shift(std::span<const std::byte> out, std::span<std::byte> in)
{
    const int ranks = m_size.value;
    exchange(out, (m_rank.value + 1) % ranks, in, (m_rank.value + ranks - 1) % ranks);
}

void MpiTransport::allToAll(std::span<const std::byte> out, const BytesByRank& outSizes,
                            std::span<std::byte> in, const BytesByRank& inSizes)
{
    const auto sent = partsByRank(out, outSizes);
    const auto received = partsByRank(in, inSizes);
    const int ranks = m_size.value;
    for (int distance = 0; distance < ranks; ++distance) {
        const int to = (m_rank.value + distance) % ranks;
        const int from = (m_rank.value + ranks - distance) % ranks;
        exchange(sent[static_cast<std::size_t>(to)], to, received[static_cast<std::size_t>(from)], from);
    }
}

} // namespace trainyard
