#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/ids.h"
#include "engine/comm/float_span.h"

namespace trainyard {

enum class ReduceOp { Sum, Max };

/// The bytes that an all-to-all sends to each rank of the group, or gets from each, in order of rank; they
/// lie behind each other. Sizes may differ, but the receiver expects what the sender sends.
using BytesByRank = std::vector<std::size_t>;

/// Each rank's part of `bytes`. Stops the program unless they are all of it.
template <typename Byte>
std::vector<std::span<Byte>> partsByRank(std::span<Byte> bytes, const BytesByRank& sizes)
{
    std::vector<std::span<Byte>> parts;
    for (const std::size_t size : sizes) {
        TRAINYARD_CHECK(size <= bytes.size());
        parts.push_back(bytes.first(size));
        bytes = bytes.subspan(size);
    }
    TRAINYARD_CHECK(bytes.empty());
    return parts;
}

/// How the ranks of one group reach each other: the seam for MPI, NCCL and threads. Every call blocks until
/// this rank's part is done. All ranks make the same calls in the same order; one thread at a time makes
/// them. A call throws CommunicationError when the group is broken; then it stays broken.
class Transport {
public:
    virtual ~Transport() = default;

    virtual Rank rank() const = 0;
    virtual WorldSize size() const = 0;

    /// Afterwards all ranks hold bit-equal results.
    virtual void allReduce(FloatSpan values, ReduceOp op) = 0;
    virtual void broadcast(std::span<std::byte> bytes, Rank root) = 0;
    /// On rank 0 the bytes of every rank in order of rank; empty elsewhere. Lengths may differ.
    virtual std::vector<std::string> gather(std::string_view bytes) = 0;
    virtual void barrier() = 0;

    /// `all` is cut into size() equal parts; afterwards part r holds, on every rank, what rank r had there.
    virtual void allGather(std::span<std::byte> all) = 0;
    /// `values` is cut into size() equal parts; afterwards part rank() holds the sum over the ranks, the rest
    /// is unspecified.
    virtual void reduceScatter(FloatSpan values) = 0;
    /// Copies `bytes` and returns. Messages between two ranks arrive in the order in which they were sent.
    virtual void send(std::span<const std::byte> bytes, Rank to) = 0;
    /// Waits for the next message of `from`; sizes must be equal.
    virtual void receive(std::span<std::byte> bytes, Rank from) = 0;
    /// Takes the next message of `from` if it has arrived; returns false otherwise. Sizes must be equal.
    virtual bool tryReceive(std::span<std::byte> bytes, Rank from) = 0;

    /// Sends `out` to the rank after this one and waits for `in` from the one before, in a circle. Sizes of
    /// both sides must be equal.
    virtual void shift(std::span<const std::byte> out, std::span<std::byte> in)
    {
        const int ranks = size().value;
        send(out, Rank{(rank().value + 1) % ranks});
        receive(in, Rank{(rank().value + ranks - 1) % ranks});
    }
    /// Sends every rank its part of `out`, and waits for this rank's parts from all of them, which `in` has
    /// room for.
    virtual void allToAll(std::span<const std::byte> out, const BytesByRank& outSizes,
                          std::span<std::byte> in, const BytesByRank& inSizes)
    {
        const auto sent = partsByRank(out, outSizes);
        const auto received = partsByRank(in, inSizes);
        for (std::size_t to = 0; to < sent.size(); ++to)
            send(sent[to], Rank{static_cast<int>(to)});
        for (std::size_t from = 0; from < received.size(); ++from)
            receive(received[from], Rank{static_cast<int>(from)});
    }
};

} // namespace trainyard
