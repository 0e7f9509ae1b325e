#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ProcessGroup;
struct TrainingData;

/// Values that must be equal on all ranks before the first step: otherwise the ranks would make different
/// collectives and hang, or silently train on different data.
struct RunContract {
    std::string program;       ///< version of the worker
    std::string specification; ///< SHA-256 of spec.json as written by this program
    std::string dataset;       ///< TrainingData::hash()
    std::uint64_t trainingRows = 0;
    std::string heldOut{}; ///< SHA-256 of the manifest of the rows to evaluate on; empty: there are none

    static RunContract of(const RunSpec& spec, const TrainingData& data);
};

/// Compares the contracts of all ranks. BadInput names what differs, and which ranks differ from rank 0;
/// every rank gets the same answer.
Status compareContracts(ProcessGroup& group, const RunContract& mine);

/// Compares the contracts, one per rank, as compareContracts() does after gathering them.
Status firstDifference(const std::vector<RunContract>& contracts);

} // namespace trainyard
