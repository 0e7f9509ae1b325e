#pragma once

#include <vector>

#include "tests/device/stand_in/nccl/segment.h"

namespace trainyard::stand_in {

/// How one rank reaches the others of a communicator.
struct Neighbourhood {
    SharedPart* shared = nullptr;
    int rank = 0;
    int size = 0;
    std::vector<Mapping> memories; ///< of their devices, by rank

    RankPart& mine() const { return shared->ranks[rank]; }
    RankPart& of(int other) const { return shared->ranks[other]; }
    const std::byte* operandOf(int other, std::uint64_t offset) const
    {
        return memories[static_cast<std::size_t>(other)].start() + offset;
    }
    Condition until(int peer, const std::atomic<std::uint64_t>& counter, std::uint64_t value) const;
    bool holds(const Condition& condition) const;
};

/// One call's part of a stream's work, which goes on whenever the others have done theirs. A rank of its own
/// thread advances it.
class Transfer {
public:
    virtual ~Transfer() = default;
    /// Goes on as far as it can; true when it is done.
    virtual bool advance() = 0;
    /// What it waits for.
    virtual void appendConditions(std::vector<Condition>& conditions) const = 0;
};

/// Number `number`, from 1 on, of the communicator's collectives. `in` and `out` are addresses of the device.
class CollectiveTransfer final : public Transfer {
public:
    CollectiveTransfer(const Neighbourhood& all, std::uint64_t number, const CollectiveCall& call,
                       const void* in, void* out);
    bool advance() override;
    void appendConditions(std::vector<Condition>& conditions) const override;

private:
    enum class Stage { Begins, Reads, Writes, Done };
    std::vector<std::byte> result() const;

    const Neighbourhood& m_all;
    const std::uint64_t m_number;
    const CollectiveCall m_call;
    const void* const m_in;
    void* const m_out;
    Stage m_stage = Stage::Begins;
    std::vector<std::byte> m_result;
};

/// Ends when the receiver has the message: NCCL's buffers may be full.
class SendTransfer final : public Transfer {
public:
    SendTransfer(const Neighbourhood& all, int to, const void* start, std::uint64_t bytes);
    bool advance() override;
    void appendConditions(std::vector<Condition>& conditions) const override;

private:
    const Neighbourhood& m_all;
    const int m_to;
    const void* const m_start;
    const std::uint64_t m_bytes;
    Channel& m_channel;
    std::uint64_t m_number = 0; ///< 0: not offered yet
};

class ReceiveTransfer final : public Transfer {
public:
    ReceiveTransfer(const Neighbourhood& all, int from, void* start, std::uint64_t bytes);
    bool advance() override;
    void appendConditions(std::vector<Condition>& conditions) const override;

private:
    const Neighbourhood& m_all;
    const int m_from;
    void* const m_start;
    const std::uint64_t m_bytes;
    Channel& m_channel;
};

std::size_t bytesOfType(int type);

/// The communicator's first error: all ranks see it, and its transfers end.
void fail(SharedPart& shared, const std::string& what);

} // namespace trainyard::stand_in
