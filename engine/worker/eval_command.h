#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/evaluation/options/eval_command_line.h"

namespace trainyard {

/// `trainyard-worker eval`: evaluates a stored model on a data set or on given inputs, and prints the result.
/// `runDirectory`: as of runTry().
Status runEvalCommand(const EvalCommandLine& options, const std::filesystem::path& runDirectory = {});

} // namespace trainyard
