#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/time/step_model.h"

namespace trainyard {

/// What makes one layout better than another.
enum class SearchObjective {
    Time,   ///< sequences per second
    Cost,   ///< sequences per unit of money, on all nodes or on fewer
    Memory, ///< memory that stays free on the device
};

struct SearchRequest {
    RunSpec spec; ///< layout and memory are searched, but for bucketSize and offloadHorizon
    SequenceShape shape;
    NodeModel node;
    int nodes = 1;
    SearchObjective objective = SearchObjective::Time;
    std::size_t top = 5; ///< layouts to find
    /// Called now and then on the searching thread with the share that is done; false ends the search.
    std::function<bool(double share)> goesOn{};
};

/// One order of a layout's ranks, with how many nodes its groups lie on.
struct PlacementCost {
    std::string placement; ///< as ParallelLayout has it
    double seconds = 0;    ///< of a step
    int tensorNodes = 1;
    int pipelineNodes = 1;
    int dataNodes = 1; ///< of all that reduce gradients together
};

/// A layout with all that it is judged by.
struct FoundLayout {
    RunSpec spec;
    StepTime time;
    double sequencesPerSecond = 0;
    double costPerMillionSequences = 0; ///< 0 where the node has no price
    Bytes onDevice = 0;                 ///< memory of the rank that holds most
    Bytes onHost = 0;
    std::vector<PlacementCost> placements; ///< every order of D, P and T that differs, the fastest first

    double bubbleShare() const; ///< of the step
};

/// A specification with what it needs of memory; its time is still open.
FoundLayout untimedLayout(const SearchRequest& request, const RunSpec& spec);
/// Adds what the request's node takes for a step, and what that costs. Errors as StepModel::create().
Status timeLayout(const SearchRequest& request, FoundLayout& layout,
                  ScheduleDetail detail = ScheduleDetail::Simulated);
/// Both; no placements.
Result<FoundLayout> weighLayout(const SearchRequest& request, const RunSpec& spec,
                                ScheduleDetail detail = ScheduleDetail::Simulated);

} // namespace trainyard
