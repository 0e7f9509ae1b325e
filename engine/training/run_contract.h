#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/shards/manifest.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class ProcessGroup;

/// What must be the same on every rank before the first step: otherwise they would take different numbers of
/// steps or different collectives and hang, or train on different data and not notice.
struct RunContract {
    std::string program;       ///< version of the worker
    std::string specification; ///< SHA-256 of spec.json as written by this program
    std::string dataset;       ///< SHA-256 of the data set's manifest, which holds the hash of every shard
    std::uint64_t trainingRows = 0;

    static RunContract of(const RunSpec& spec, const Manifest& manifest);
};

/// Compares the contracts of all ranks. BadInput names what differs, and which ranks differ from rank 0;
/// every rank gets the same answer.
Status compareContracts(ProcessGroup& group, const RunContract& mine);

/// The comparison itself. Requires one contract per rank.
Status firstDifference(const std::vector<RunContract>& contracts);

} // namespace trainyard
