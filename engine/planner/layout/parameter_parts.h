#pragma once

#include <cstdint>
#include <vector>

#include "engine/planner/layout/flat_placement.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Parameters by where they live. A tied head's decoder is counted once, with the embeddings.
struct ParameterParts {
    std::int64_t embeddings = 0; ///< words, positions, token types, their norm
    std::int64_t words =
        0; ///< the word embeddings among them: what a tied head on another stage has a copy of
    std::int64_t perLayer =
        0;                 ///< but the first, which may lack a norm; where experts are not in all the mean
    std::int64_t head = 0; ///< final norm, decoder unless tied, and what the family has there
};

ParameterParts parameterParts(const ModelSpec& model);
/// Those that training changes: with ModelSpec::lora the adapters and the last product of a task.
ParameterParts trainedParts(const ModelSpec& model);

/// Of the whole model.
std::int64_t parameterCount(const ModelSpec& model);
/// Those that compute with one token: without the experts that it does not take.
std::int64_t activeParameterCount(const ModelSpec& model);
std::int64_t trainedParameterCount(const ModelSpec& model);

/// Parameters of layers on one of the ranks that share experts, by who else holds them.
struct ExpertSplit {
    double shared = 0;    ///< all data-parallel ranks
    double ofExperts = 0; ///< those with the same experts; 0 where one rank has them all

    double total() const { return shared + ofExperts; }
};

/// What a number of parameters counts.
enum class Counted {
    All,
    Trained, ///< with adapters no expert
};

/// Of `layers` mean layers with so many parameters on all ranks together, those of experts among them.
ExpertSplit splitOf(double parameters, const RunSpec& spec, Counted counted, double layers = 1);

/// The parts of a model that one pipeline stage computes.
struct StageContents {
    bool embeddings = true;
    int firstLayer = 0;
    int layers = 0;
    bool head = true;
};

/// What a rank of a tensor-parallel group holds of a stage, in order of registration; of experts its part
/// where `expertRanks` share them. The last stage's tied head has a copy of the word embeddings behind it
/// where these are on another stage.
std::vector<FlatBlock> flatBlocks(const ModelSpec& model, const StageContents& stage, int tensorRank,
                                  int tensorRanks, int expertRanks = 1);

} // namespace trainyard
