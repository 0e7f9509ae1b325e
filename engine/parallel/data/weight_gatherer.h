#pragma once

namespace trainyard {

class ParameterStore;
class ProcessGroup;

/// Brings the working weights that each owner has updated to every rank of the data-parallel group, bucket by
/// bucket (the end of a ZeRO 1 or 2 step). Nothing to do where the store has one owner.
/// Requires whole working weights.
void gatherWeights(ParameterStore& parameters, ProcessGroup& group);

} // namespace trainyard
