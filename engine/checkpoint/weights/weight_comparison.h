#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/checkpoint/weights/weight_description.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a run of a specification takes from stored weights, what it draws at random, what it leaves. From
/// names and shapes alone, so that plan, launch and every rank come to the same answer.
///
///     in both, of one shape               loaded
///     in both, other words or positions   with init.resize the common rows are loaded, new ones drawn
///     only in the model                   drawn, if it is part of a head or an adapter; else a problem
///     only in the weights                 left, if it is part of a head or of no model of ours; else a
///     problem
struct WeightComparison {
    /// By its name in a checkpoint.
    struct Loaded {
        std::string name;
        std::vector<std::int64_t> shape;  ///< in this model
        std::vector<std::int64_t> stored; ///< the first dimension may differ
    };
    struct Apart {
        std::string name; ///< without the prefix of checkpoints
        std::vector<std::int64_t> shape;
    };

    std::string origin;         ///< WeightDescription::origin
    std::vector<Loaded> loaded; ///< sorted by name
    std::vector<Apart> drawn;
    std::vector<Apart> left;
    bool loadsOptimizer = false;
    bool leavesOptimizer = false;
    Diagnostics problems; ///< empty: the run can begin with them

    const Loaded* find(std::string_view name) const;
    bool isPartial() const;                ///< some weights are drawn or left out
    std::int64_t loadedWeights() const;    ///< tensors, without the optimizer's state
    std::int64_t loadedParameters() const; ///< their elements
    /// Each with its label: "loaded", "drawn at random", "left out". Those without content are omitted.
    std::vector<std::pair<std::string, std::string>> facts() const;
    /// "begins with the checkpoint /...; loaded: 39 tensors with 74 912 parameters; left out: ...".
    std::string text() const;
};

WeightComparison compareWeights(const WeightDescription& stored, const RunSpec& spec);

} // namespace trainyard
