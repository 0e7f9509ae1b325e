#pragma once

#include <cstddef>
#include <vector>

#include "engine/records/record.h"

namespace trainyard {

class Holders;
class ParameterStore;
class ProcessGroup;
struct ProcessGroups;

/// Completes sums over the elements of logical tensors, of which each rank knows its part: norms for clipping
/// and for LAMB's trust ratio are those of the whole tensor whatever ranks hold it. A tensor that several
/// ranks of a tensor-parallel group, or with other experts, hold whole counts once; but what is not finite
/// anywhere, be it in a part that does not count, makes the sum not finite. One thread; all ranks call
/// together.
class LogicalSums {
public:
    /// For a rank that holds and owns everything.
    LogicalSums() = default;
    /// Both outlive this object.
    LogicalSums(const ParameterStore& parameters, const ProcessGroups& groups, const Holders& holders);

    /// `sums` has one row per parameter of the store, `columns` numbers each; rows behind the last parameter
    /// that this rank owns may be missing. Afterwards the sums over the whole logical tensors, every row, the
    /// same on every rank that holds a part of them.
    void complete(std::vector<double>& sums, std::size_t columns) const;
    /// From complete sums of one column: the sum over all tensors of all pipeline stages.
    double total(const std::vector<double>& sums) const;

private:
    /// Ranks that hold parts of the tensors, or the same ones.
    struct Sharing {
        ProcessGroup* group;
        std::vector<bool> countsHere; ///< by parameter: this rank contributes it; empty: all of them
        StepPhase waiting;
    };
    std::vector<Sharing> m_sharing;
    std::vector<bool> m_isShared; ///< by parameter: a copy of a tensor that an earlier stage holds
    ProcessGroup* m_pipeline = nullptr;
};

} // namespace trainyard
