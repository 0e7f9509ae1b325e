#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/types.h>

namespace trainyard {

class ProcessGroup;

/// The way of one layer's rows to the ranks that have their experts, and of what these make of them back. All
/// ranks of the group make it, and call the same functions in the same order, forward and backward.
class ExpertExchange {
public:
    /// `counts`: rows here for each expert of the layer. The group outlives the graph.
    ExpertExchange(ProcessGroup& group, std::span<const std::int64_t> counts);

    /// Rows that come for each expert of this rank.
    const std::vector<std::int64_t>& countsHere() const { return m_countsHere; }
    /// Of rows [N, H] in the order of the experts those of this rank's experts, [M, H]: in their order, and
    /// of each those of the first rank first. Differentiable.
    at::Tensor toExperts(const at::Tensor& rows) const;
    /// The rows that toExperts() brought, back where they came from, in their order. Differentiable.
    at::Tensor back(const at::Tensor& rows) const;

private:
    ProcessGroup& m_group;
    std::vector<std::int64_t> m_sent;     ///< rows for each expert of the layer
    std::vector<std::int64_t> m_received; ///< [rank][expert here]
    std::vector<std::int64_t> m_countsHere;
};

} // namespace trainyard
