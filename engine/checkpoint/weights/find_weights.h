#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The folder that a specification's init.path and init.step mean, for openWeights(): a Hugging Face model's,
/// or that of one checkpoint. `init.path` is the folder of a model, a checkpoint, several checkpoints or a
/// run, or the id of a run in `runs`. Without a step it is the checkpoint that a start of that run would
/// take. BadInput or Refused, naming field and folder, when there is no such thing; the folder itself may
/// still be damaged.
Result<std::filesystem::path> findWeights(const InitSpec& init, const std::filesystem::path& runs);

} // namespace trainyard
