#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/checkpoint/weights/find_weights.h"

namespace trainyard {

class AnswerOutput;

/// Brings the shards of the chosen checkpoint that only other hosts of its run have to this host, in a job of
/// a run's host: its agent, which the variable TRAINYARD_AGENT names, copies them. Does nothing for other
/// weights, and without an agent: then reading them says which host has them.
Status bringMissingShards(const std::filesystem::path& model, const CheckpointWish& wish, AnswerOutput& output);

} // namespace trainyard
