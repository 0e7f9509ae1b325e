#pragma once

#include "engine/nn/layer_runner.h"

namespace trainyard {

class PartGatherer;

/// Has the weights of every part brought together before its forward pass and before its backward pass, which
/// includes what is computed again there. One micro-batch at a time: its backward pass follows its forward
/// pass. One thread.
class GatheringRunner final : public LayerRunner {
public:
    /// `inner` computes the parts. Both outlive the runner and the graphs that it made.
    GatheringRunner(PartGatherer& weights, LayerRunner& inner) : m_weights(weights), m_inner(inner) {}

    at::Tensor run(int part, const at::Tensor& input, const Part& compute) override;
    at::Tensor runAttention(int layer, const at::Tensor& queryKeyValue, const Part& compute) override
    {
        return m_inner.runAttention(layer, queryKeyValue, compute);
    }

private:
    PartGatherer& m_weights;
    LayerRunner& m_inner;
};

} // namespace trainyard
