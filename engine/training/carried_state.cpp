#include "engine/training/carried_state.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <ATen/ops/from_blob.h>

#include "engine/checkpoint/tensor_views.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/records/wire.h"
#include "engine/training/replica.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

namespace {

constexpr std::string_view kOptimizerPrefix = "optimizer/";

/// Ranks that hold the same values share the work of sending them.
std::vector<SliceToSave> partOf(const Replica& replica, bool withOptimizer)
{
    std::vector<SliceToSave> part;
    const Holders& holders = replica.holders();
    for (const auto& chunk : replica.chunks())
        std::ranges::move(chunk->state().slices(holders.of(false).copyShare(), holders.of(true).copyShare()),
                          std::back_inserter(part));
    if (!withOptimizer)
        std::erase_if(
            part, [](const SliceToSave& slice) { return slice.values.name.starts_with(kOptimizerPrefix); });
    return part;
}

/// What the receivers know of a slice before its values come.
struct SliceHead {
    std::string name;
    ElementType type = ElementType::F32;
    TensorBox box;

    std::size_t bytes() const { return static_cast<std::size_t>(elementCount(box.shape)) * byteSize(type); }
};

void writeNumbers(WireWriter& out, const std::vector<std::int64_t>& numbers)
{
    out.number(static_cast<std::uint32_t>(numbers.size()));
    for (const std::int64_t number : numbers)
        out.number(number);
}

std::vector<std::int64_t> readNumbers(WireReader& in)
{
    std::vector<std::int64_t> numbers(in.number<std::uint32_t>());
    for (std::int64_t& number : numbers)
        number = in.number<std::int64_t>();
    return numbers;
}

std::string encodeHeads(const std::vector<SliceToSave>& slices)
{
    std::string bytes;
    WireWriter out(bytes);
    out.number(static_cast<std::uint64_t>(slices.size()));
    for (const SliceToSave& slice : slices) {
        out.text(slice.values.name);
        out.number(static_cast<std::uint32_t>(slice.values.type));
        writeNumbers(out, slice.begin);
        writeNumbers(out, slice.values.shape);
    }
    return bytes;
}

std::vector<SliceHead> decodeHeads(const std::string& bytes)
{
    WireReader in(bytes);
    std::vector<SliceHead> heads(in.number<std::uint64_t>());
    for (SliceHead& head : heads) {
        head.name = in.text();
        head.type = static_cast<ElementType>(in.number<std::uint32_t>());
        head.box.begin = readNumbers(in);
        head.box.shape = readNumbers(in);
    }
    return heads;
}

/// `values` has the shape of `box`; the part of it that `common` is.
at::Tensor partIn(at::Tensor values, const TensorBox& box, const TensorBox& common)
{
    for (std::size_t d = 0; d < box.begin.size(); ++d)
        values = values.narrow(std::int64_t(d), common.begin[d] - box.begin[d], common.shape[d]);
    return values;
}

/// Empty in some dimension where they have nothing in common.
TensorBox commonOf(const TensorBox& a, const TensorBox& b)
{
    TensorBox common = a;
    for (std::size_t d = 0; d < a.begin.size(); ++d) {
        common.begin[d] = std::max(a.begin[d], b.begin[d]);
        const std::int64_t end = std::min(a.begin[d] + a.shape[d], b.begin[d] + b.shape[d]);
        common.shape[d] = std::max<std::int64_t>(0, end - common.begin[d]);
    }
    return common;
}

/// The boxes of a replica, by tensor.
class Receiver {
public:
    explicit Receiver(Replica& replica)
    {
        for (const auto& chunk : replica.chunks()) {
            for (TrainingState::OwnedBox& box : chunk->state().ownedBoxes())
                m_boxes[box.name].push_back(std::move(box));
        }
    }

    void take(const SliceHead& head, std::vector<std::byte>& bytes)
    {
        const auto wanted = m_boxes.find(head.name);
        if (wanted == m_boxes.end())
            return;
        const at::Tensor values = at::from_blob(bytes.data(), head.box.shape, scalarTypeOf(head.type));
        for (const TrainingState::OwnedBox& own : wanted->second) {
            const TensorBox common = commonOf(head.box, own.box);
            if (elementCount(common.shape) > 0)
                partIn(own.values.view(own.box.shape), own.box, common)
                    .copy_(partIn(values, head.box, common));
        }
    }

private:
    std::map<std::string, std::vector<TrainingState::OwnedBox>> m_boxes;
};

} // namespace

CarriedState::CarriedState(const Replica& replica, bool withOptimizer)
    : m_withOptimizer(withOptimizer), m_part(partOf(replica, withOptimizer))
{
}

void CarriedState::giveTo(Replica& replica, ProcessGroup& world, std::int64_t updates) const
{
    Receiver receiver(replica);
    for (Rank sender{0}; sender.value < world.size().value; ++sender.value) {
        const bool sends = sender == world.rank();
        const auto heads =
            decodeHeads(world.broadcastText(sends ? encodeHeads(m_part.slices()) : "", sender));
        for (std::size_t i = 0; i < heads.size(); ++i) {
            std::vector<std::byte> bytes(heads[i].bytes()); // one slice at a time: the state may be large
            if (sends)
                std::memcpy(bytes.data(), m_part.slices()[i].values.bytes.data(), bytes.size());
            world.broadcast(bytes, sender);
            receiver.take(heads[i], bytes);
        }
    }
    for (const auto& chunk : replica.chunks()) {
        if (m_withOptimizer)
            chunk->state().filled(updates);
        else
            chunk->parameters().refreshWorkingCopy();
    }
    replica.shareWeights();
}

} // namespace trainyard
