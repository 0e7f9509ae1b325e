#include "engine/training/whole_tensors.h"

#include <functional>

#include <ATen/ops/zeros.h>

#include "engine/base/check.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/training/replica.h"

namespace trainyard {

namespace {

/// Calls `visit` with each part of the replica that is a box: its parameter, the box, its elements in `face`.
void forEachBox(const Replica& replica, Face face,
                const std::function<void(const ParameterSpec&, const TensorBox&, const at::Tensor&)>& visit)
{
    for (const auto& chunk : replica.chunks()) {
        const ParameterStore& store = chunk->parameters();
        for (const OwnedTensor& owned : store.owned()) {
            if (!(owned.*face).defined())
                continue;
            const OwnedPiece& piece = owned.piece;
            for (const auto& [box, first] :
                 store.layout().slices()[piece.parameter].boxes(piece.firstElement, piece.count))
                visit(store.parameters()[piece.parameter].spec, box,
                      (owned.*face)
                          .narrow(0, first - piece.firstElement, elementCount(box.shape))
                          .view(box.shape));
        }
    }
}

} // namespace

at::Tensor boxOf(const at::Tensor& whole, const TensorBox& box)
{
    at::Tensor part = whole;
    for (std::size_t d = 0; d < box.begin.size(); ++d)
        part = part.narrow(std::int64_t(d), box.begin[d], box.shape[d]);
    return part;
}

void collect(WholeTensors& whole, const Replica& replica, Face face)
{
    forEachBox(replica, face, [&](const ParameterSpec& spec, const TensorBox& box, const at::Tensor& values) {
        if (spec.isCopy)
            return;
        at::Tensor& tensor = whole[spec.name];
        if (!tensor.defined())
            tensor = at::zeros(spec.shape, at::kDouble);
        boxOf(tensor, box).copy_(values);
    });
}

void fillWeights(Replica& replica, const WholeTensors& weights)
{
    forEachBox(replica, &OwnedTensor::master,
               [&](const ParameterSpec& spec, const TensorBox& box, const at::Tensor& values) {
                   const at::Tensor& whole = weights.at(spec.name);
                   TRAINYARD_CHECK(whole.sizes() == spec.shape);
                   values.copy_(boxOf(whole, box));
               });
    for (const auto& chunk : replica.chunks())
        chunk->parameters().refreshWorkingCopy();
    replica.shareWeights();
}

} // namespace trainyard
