#include "tests/device/stand_in/nccl/transfer.h"

#include <algorithm>
#include <cstring>

#include <nccl.h>

#include "engine/base/kernel.h"
#include "tests/device/stand_in/cudart/device.h"
#include "tests/device/stand_in/cudart/findings.h"

namespace trainyard::stand_in {

namespace {

/// bfloat16, which the compiler does not know as a type.
struct Bfloat16 {
    std::uint16_t bits;
    operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
    Bfloat16& operator=(float value)
    {
        bits = bfloat16Bits(value);
        return *this;
    }
};

template <typename T>
void combineAs(std::byte* sum, const std::byte* other, std::uint64_t count, int operation)
{
    auto* const into = reinterpret_cast<T*>(sum);
    const auto* const from = reinterpret_cast<const T*>(other);
    for (std::uint64_t i = 0; i < count; ++i)
        into[i] = operation == ncclMax ? std::max<T>(into[i], from[i]) : static_cast<T>(into[i] + from[i]);
}

template <>
void combineAs<Bfloat16>(std::byte* sum, const std::byte* other, std::uint64_t count, int operation)
{
    auto* const into = reinterpret_cast<Bfloat16*>(sum);
    const auto* const from = reinterpret_cast<const Bfloat16*>(other);
    for (std::uint64_t i = 0; i < count; ++i)
        into[i] = operation == ncclMax ? std::max<float>(into[i], from[i]) : float(into[i]) + float(from[i]);
}

void combine(std::byte* sum, const std::byte* other, const CollectiveCall& call)
{
    if (call.operation != ncclSum && call.operation != ncclMax)
        lacks("NCCL operation " + std::to_string(call.operation));
    switch (call.type) {
    case ncclFloat32:
        return combineAs<float>(sum, other, call.count, call.operation);
    case ncclFloat64:
        return combineAs<double>(sum, other, call.count, call.operation);
    case ncclFloat16:
        return combineAs<_Float16>(sum, other, call.count, call.operation);
    case ncclBfloat16:
        return combineAs<Bfloat16>(sum, other, call.count, call.operation);
    default:
        lacks("reduction of NCCL type " + std::to_string(call.type));
    }
}

Channel& channel(const Neighbourhood& all, int from, int to)
{
    return all.of(from).to[to];
}

} // namespace

std::size_t bytesOfType(int type)
{
    switch (type) {
    case ncclInt8:
    case ncclUint8:
        return 1;
    case ncclFloat16:
    case ncclBfloat16:
        return 2;
    case ncclInt32:
    case ncclFloat32:
        return 4;
    case ncclInt64:
    case ncclFloat64:
        return 8;
    default:
        lacks("NCCL type " + std::to_string(type));
    }
}

void fail(SharedPart& shared, const std::string& what)
{
    reportFinding(what);
    int none = 0;
    if (!shared.errorState.compare_exchange_strong(none, 1))
        return;
    std::strncpy(shared.error, what.c_str(), sizeof shared.error - 1);
    shared.errorState = 2;
}

Condition Neighbourhood::until(int peer, const std::atomic<std::uint64_t>& counter, std::uint64_t value) const
{
    const auto offset =
        reinterpret_cast<const std::byte*>(&counter) - reinterpret_cast<const std::byte*>(shared);
    return {peer, 0, static_cast<std::uint64_t>(offset), value};
}

bool Neighbourhood::holds(const Condition& condition) const
{
    const auto* const counter = reinterpret_cast<const std::atomic<std::uint64_t>*>(
        reinterpret_cast<const std::byte*>(shared) + condition.counterOffset);
    return *counter >= condition.wanted;
}

CollectiveTransfer::CollectiveTransfer(const Neighbourhood& all, std::uint64_t number,
                                       const CollectiveCall& call, const void* in, void* out)
    : m_all(all), m_number(number), m_call(call), m_in(in), m_out(out)
{
}

// Operands stay as they are until all have read them; then each writes its result.
bool CollectiveTransfer::advance()
{
    RankPart& mine = m_all.mine();
    if (m_stage == Stage::Begins) {
        mine.operandOffset = device().memory.offset(m_in);
        mine.arrived = m_number;
        m_stage = Stage::Reads;
    }
    std::vector<Condition> conditions;
    appendConditions(conditions);
    if (!std::ranges::all_of(conditions, [this](const Condition& c) { return m_all.holds(c); }))
        return false;
    if (m_stage == Stage::Reads) {
        m_result = result();
        mine.read = m_number;
        m_stage = Stage::Writes;
        return advance();
    }
    if (m_stage == Stage::Writes)
        std::ranges::copy(m_result, device().memory.view(m_out));
    m_stage = Stage::Done;
    return true;
}

void CollectiveTransfer::appendConditions(std::vector<Condition>& conditions) const
{
    for (int other = 0; other < m_all.size; ++other) {
        const RankPart& part = m_all.of(other);
        conditions.push_back(
            m_all.until(other, m_stage == Stage::Reads ? part.arrived : part.read, m_number));
    }
}

std::vector<std::byte> CollectiveTransfer::result() const
{
    const std::size_t bytes = m_call.count * bytesOfType(m_call.type);
    const auto operand = [&](int other) { return m_all.operandOf(other, m_all.of(other).operandOffset); };
    std::vector<std::byte> result;
    const auto append = [&](const std::byte* start) { result.insert(result.end(), start, start + bytes); };
    switch (m_call.kind) {
    case CollectiveCall::Broadcast:
        append(operand(m_call.root));
        break;
    case CollectiveCall::AllGather:
        for (int other = 0; other < m_all.size; ++other)
            append(operand(other));
        break;
    case CollectiveCall::AllReduce:
    case CollectiveCall::ReduceScatter: {
        const std::size_t part =
            m_call.kind == CollectiveCall::ReduceScatter ? bytes * static_cast<std::size_t>(m_all.rank) : 0;
        append(operand(0) + part);
        for (int other = 1; other < m_all.size; ++other)
            combine(result.data(), operand(other) + part, m_call);
    }
    }
    return result;
}

SendTransfer::SendTransfer(const Neighbourhood& all, int to, const void* start, std::uint64_t bytes)
    : m_all(all), m_to(to), m_start(start), m_bytes(bytes), m_channel(channel(all, all.rank, to))
{
}

bool SendTransfer::advance()
{
    if (m_number == 0 && m_channel.taken == m_channel.offered) {
        m_channel.offset = device().memory.offset(m_start);
        m_channel.bytes = m_bytes;
        m_number = ++m_channel.offered;
    }
    return m_number > 0 && m_channel.taken >= m_number;
}

void SendTransfer::appendConditions(std::vector<Condition>& conditions) const
{
    const std::uint64_t wanted = m_number > 0 ? m_number : m_channel.offered.load();
    conditions.push_back(m_all.until(m_to, m_channel.taken, wanted));
}

ReceiveTransfer::ReceiveTransfer(const Neighbourhood& all, int from, void* start, std::uint64_t bytes)
    : m_all(all), m_from(from), m_start(start), m_bytes(bytes), m_channel(channel(all, from, all.rank))
{
}

bool ReceiveTransfer::advance()
{
    if (m_channel.offered <= m_channel.taken)
        return false;
    if (m_channel.bytes != m_bytes) {
        fail(*m_all.shared, "rank " + std::to_string(m_all.rank) + " receives " + std::to_string(m_bytes) +
                                " bytes from rank " + std::to_string(m_from) + ", which sends " +
                                std::to_string(m_channel.bytes));
        return false;
    }
    std::memcpy(device().memory.view(m_start), m_all.operandOf(m_from, m_channel.offset), m_bytes);
    ++m_channel.taken;
    return true;
}

void ReceiveTransfer::appendConditions(std::vector<Condition>& conditions) const
{
    conditions.push_back(m_all.until(m_from, m_channel.offered, m_channel.taken + 1));
}

} // namespace trainyard::stand_in
