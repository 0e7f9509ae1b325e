#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint_reader.h"
#include "engine/checkpoint/checkpoint_writer.h"

namespace trainyard {

class Optimizer;
class ParameterStore;

/// Everything that a data-parallel run keeps: "model/<parameter>" with the master weights and
/// "optimizer/<state>/<parameter>". Views of their memory: parameters and optimizer
/// must outlive it.
class TrainingState {
public:
    /// Without an optimizer (imported weights, evaluation) only the weights.
    explicit TrainingState(ParameterStore& parameters, Optimizer* optimizer = nullptr);

    const std::vector<TensorBytes>& tensors() const { return m_tensors; }
    /// Loads every tensor (converting between float32 and float64), refreshes the working copy and sets the
    /// optimizer's step count.
    Status load(CheckpointReader& reader);

private:
    ParameterStore& m_parameters;
    Optimizer* m_optimizer;
    std::vector<TensorBytes> m_tensors;
};

/// One process alone: begin, one shard, publish.
Status saveCheckpoint(const std::filesystem::path& checkpoints, const TrainingState& state,
                      const TrainingPosition& position, int keepLast);

} // namespace trainyard
