#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/nn/parameters/flat_layout.h"

namespace trainyard {

class Optimizer;
class ParameterStore;
class WeightSource;
struct OwnedTensor;

/// This rank's part of everything that a run keeps: "model/<parameter>" with the master weights and
/// "optimizer/<state>/<parameter>", as boxes of the logical tensors. Parameters and optimizer must outlive
/// it.
class TrainingState {
public:
    /// Without an optimizer (imported weights, evaluation) only the weights.
    explicit TrainingState(ParameterStore& parameters, Optimizer* optimizer = nullptr);

    /// What one of several savers writes, as views of the same memory. The savers own the same (experts, of
    /// which it is `expertSaver`, apart where ranks share these), and each writes a part of it. Tensors that
    /// other ranks write (copies, and what tensor-parallel ranks hold whole) are left out.
    std::vector<SliceToSave> slices(Share saver, Share expertSaver) const;
    /// Loads every box that this rank owns, whatever layout wrote the checkpoint (converting between float32
    /// and float64), refreshes the working copy of it and sets the optimizer's step count.
    Status load(CheckpointReader& reader);
    /// Loads what `comparison` found in `source` of every box that this rank owns; the rest stays as it was
    /// initialised. BadInput naming the tensors that hold values that are not finite. Refreshes the working
    /// copy and, with the optimizer's state, sets its step count.
    Status begin(WeightSource& source, const WeightComparison& comparison);

    /// A box that this rank owns, and its values, row-major in one dimension.
    struct OwnedBox {
        std::string name; ///< of the tensor: "model/<parameter>"
        TensorBox box;
        at::Tensor values;
    };
    /// Whoever fills them calls filled().
    std::vector<OwnedBox> ownedBoxes() const;
    /// Refreshes the working copy and sets the optimizer's step count.
    void filled(std::int64_t updates);

private:
    /// One state of the owned tensors: the weights, or a moment.
    struct Kind {
        std::string prefix;             ///< of the name in the checkpoint
        std::vector<at::Tensor> values; ///< by owned tensor, one dimension; undefined moments of frozen ones
    };
    std::vector<Kind> kinds() const;
    /// Numbers of the owned tensors that have this state.
    static std::vector<std::size_t> heldOf(const Kind& kind);
    bool isWrittenHere(std::size_t parameter) const;

    ParameterStore& m_parameters;
    Optimizer* m_optimizer;
};

/// One process alone: begin, one shard, publish.
Status saveCheckpoint(const std::filesystem::path& checkpoints, const TrainingState& state,
                      const TrainingPosition& position, const KeptCheckpoints& kept);

} // namespace trainyard
