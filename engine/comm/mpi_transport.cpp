#include "engine/comm/mpi_transport.h"

#include <algorithm>
#include <cstring>
#include <limits>
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

constexpr int kMessageTag = 0; ///< of send(), also in the outbox
constexpr int kGatherTag = 1;

int toCount(std::size_t count)
{
    TRAINYARD_CHECK(count <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    return static_cast<int>(count);
}

/// Calls `take` with the first byte and the size of one piece after the other; of nothing there is one piece.
template <typename Take>
void forEachPiece(std::size_t bytes, std::size_t largest, Take take)
{
    std::size_t first = 0;
    do {
        const std::size_t size = std::min(largest, bytes - first);
        take(first, size);
        first += size;
    } while (first < bytes);
}

/// `bytes` of each rank, which lie `stride` bytes apart.
class StridedBytes {
public:
    StridedBytes(std::size_t bytes, std::size_t stride)
    {
        MPI_Datatype packed = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(toCount(bytes), MPI_BYTE, &packed);
        MPI_Type_create_resized(packed, 0, static_cast<MPI_Aint>(stride), &m_type);
        MPI_Type_commit(&m_type);
        MPI_Type_free(&packed);
    }
    ~StridedBytes() { MPI_Type_free(&m_type); }
    StridedBytes(const StridedBytes&) = delete;
    StridedBytes& operator=(const StridedBytes&) = delete;

    MPI_Datatype type() const { return m_type; }

private:
    MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

} // namespace

MpiTransport::MpiTransport(MPI_Comm communicator, std::shared_ptr<MpiOutbox> outbox, const SharedArena* arena,
                           MpiLimits limits)
    : m_limits(limits), m_communicator(communicator), m_outbox(std::move(outbox)), m_arena(arena)
{
    TRAINYARD_CHECK(m_limits.callBytes > 0);
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
    if (m_hasTriedToShare || m_size.value == 1 || !m_limits.sharesMemory)
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

std::size_t MpiTransport::callBytesPerRank() const
{
    return std::max<std::size_t>(1, m_limits.callBytes / static_cast<std::size_t>(m_size.value));
}

// The beginnings of all in one call, and what is longer behind it, rank by rank.
std::vector<std::string> MpiTransport::gather(std::string_view bytes)
{
    const bool root = m_rank.value == 0;
    const std::size_t ranks = root ? static_cast<std::size_t>(m_size.value) : 0;
    const std::uint64_t mine = bytes.size();
    std::vector<std::uint64_t> sizes(ranks);
    MPI_Gather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, m_communicator);

    const std::size_t most = callBytesPerRank();
    std::vector<int> counts;
    for (const std::uint64_t size : sizes)
        counts.push_back(toCount(std::min<std::uint64_t>(size, most)));
    std::vector<int> offsets(ranks);
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::string all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), '\0');
    const std::string_view beginning = bytes.substr(0, most);
    MPI_Gatherv(beginning.data(), toCount(beginning.size()), MPI_BYTE, all.data(), counts.data(),
                offsets.data(), MPI_BYTE, 0, m_communicator);
    if (!root) {
        sendRest(bytes.substr(beginning.size()));
        return {};
    }
    std::vector<std::string> gathered{std::string(bytes)};
    for (std::size_t r = 1; r < ranks; ++r) {
        const auto first = all.begin() + offsets[r];
        std::string& text = gathered.emplace_back(first, first + counts[r]);
        text.resize(sizes[r]);
        receiveRest(std::span(text).subspan(static_cast<std::size_t>(counts[r])), Rank{static_cast<int>(r)});
    }
    return gathered;
}

void MpiTransport::sendRest(std::string_view rest)
{
    if (rest.empty())
        return;
    forEachPiece(rest.size(), m_limits.callBytes, [&](std::size_t first, std::size_t size) {
        MPI_Send(rest.data() + first, toCount(size), MPI_BYTE, 0, kGatherTag, m_communicator);
    });
}

void MpiTransport::receiveRest(std::span<char> rest, Rank from)
{
    if (rest.empty())
        return;
    forEachPiece(rest.size(), m_limits.callBytes, [&](std::size_t first, std::size_t size) {
        MPI_Recv(rest.data() + first, toCount(size), MPI_BYTE, from.value, kGatherTag, m_communicator,
                 MPI_STATUS_IGNORE);
    });
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
    const std::size_t largest = callBytesPerRank();
    if (part <= largest) {
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), toCount(part), MPI_BYTE,
                      m_communicator);
        return;
    }
    forEachPiece(part, largest, [&](std::size_t first, std::size_t size) {
        const StridedBytes piece(size, part);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data() + first, 1, piece.type(),
                      m_communicator);
    });
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
    const std::size_t largest = std::max<std::size_t>(1, callBytesPerRank() / sizeOf(values.type));
    if (count > largest)
        return reduceScatterInPieces(values, count, largest);
    // Not in place: MPI would put the sums at the start of the buffer, and part rank() is where they belong.
    m_scratch.resize(mine.bytes());
    MPI_Reduce_scatter_block(values.data, m_scratch.data(), toCount(count), mpiType(values.type), MPI_SUM,
                             m_communicator);
    std::memcpy(mine.data, m_scratch.data(), m_scratch.size());
}

// MPI wants the parts behind each other, so a piece of every part is copied together.
void MpiTransport::reduceScatterInPieces(FloatSpan values, std::size_t count, std::size_t largest)
{
    const auto ranks = static_cast<std::size_t>(m_size.value);
    const std::size_t numberBytes = sizeOf(values.type);
    const auto at = [&](std::size_t part, std::size_t first) {
        return static_cast<std::byte*>(values.data) + (part * count + first) * numberBytes;
    };
    m_scratch.resize(ranks * largest * numberBytes);
    forEachPiece(count, largest, [&](std::size_t first, std::size_t numbers) {
        const std::size_t bytes = numbers * numberBytes;
        for (std::size_t part = 0; part < ranks; ++part)
            std::memcpy(m_scratch.data() + part * bytes, at(part, first), bytes);
        MPI_Reduce_scatter_block(m_scratch.data(), at(static_cast<std::size_t>(m_rank.value), first),
                                 toCount(numbers), mpiType(values.type), MPI_SUM, m_communicator);
    });
}

void MpiTransport::send(std::span<const std::byte> bytes, Rank to)
{
    forEachPiece(bytes.size(), m_limits.callBytes, [&](std::size_t first, std::size_t size) {
        m_outbox->send(bytes.subspan(first, size), to, m_communicator);
    });
}

void MpiTransport::receive(std::span<std::byte> bytes, Rank from)
{
    forEachPiece(bytes.size(), m_limits.callBytes, [&](std::size_t first, std::size_t size) {
        MPI_Recv(bytes.data() + first, toCount(size), MPI_BYTE, from.value, kMessageTag, m_communicator,
                 MPI_STATUS_IGNORE);
    });
}

// A message that has been announced comes without this rank's help: its sender's outbox moves it on, and the
// pieces of one message follow each other.
bool MpiTransport::tryReceive(std::span<std::byte> bytes, Rank from)
{
    int arrived = 0;
    MPI_Iprobe(from.value, kMessageTag, m_communicator, &arrived, MPI_STATUS_IGNORE);
    if (arrived != 0)
        receive(bytes, from);
    return arrived != 0;
}

// In messages whose bytes MPI can count; both sides know how many there are, as sizes agree.
void MpiTransport::exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from)
{
    while (!out.empty() || !in.empty()) {
        const auto sent = out.first(std::min(out.size(), m_limits.callBytes));
        const auto received = in.first(std::min(in.size(), m_limits.callBytes));
        MPI_Sendrecv(sent.data(), toCount(sent.size()), MPI_BYTE, sent.empty() ? MPI_PROC_NULL : to,
                     kMessageTag, received.data(), toCount(received.size()), MPI_BYTE,
                     received.empty() ? MPI_PROC_NULL : from, kMessageTag, m_communicator, MPI_STATUS_IGNORE);
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
