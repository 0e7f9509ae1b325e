#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class Replica;
class RunDirectory;
struct ProcessGroups;

/// What a fresh run begins with besides its seed.
struct InitialWeights {
    std::int64_t earlierUpdates = 0; ///< that the loaded optimizer's state has behind it
    std::string text{}; ///< on rank 0: what was loaded, drawn and left out; empty without section init
};

/// Loads the weights of section init into a freshly initialised replica, whatever layout wrote them. Ranks
/// that find the same content as rank 0 read their own part each; where some do not, rank 0 sends everything,
/// which works only where every rank holds the whole model. A restart before the first checkpoint begins with
/// the same weights, though their run may have newer ones by then. BadInput or Refused, naming the field or
/// the tensors, when the weights are missing, of another model, damaged or not finite. All ranks call it and
/// get the same answer.
Result<InitialWeights> loadInitialWeights(const ProcessGroups& groups, Replica& replica, const RunSpec& spec,
                                          const RunDirectory& directory);

} // namespace trainyard
