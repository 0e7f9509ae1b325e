#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace CLI {
class App;
}

namespace trainyard {

/// Options of `eval`: a model on the test rows of a data set, or on one batch of given inputs.
struct EvalCommandLine {
    std::string model;                ///< a run, a checkpoint, or a folder as Hugging Face saves it
    std::optional<std::int64_t> step; ///< of several checkpoints; nullopt: the newest
    bool best = false;                ///< the best one by held-out evaluation, instead
    std::string precision = "float32";
    std::string layout; ///< specification file, or its JSON text; empty: one rank

    std::string dataSet;
    int batches = 0; ///< global batches of test rows; 0: all test rows

    std::string inputs;
    std::string out;
    std::string optimizer; ///< of --train; empty: no training
    OptimizerSpec training;
    int steps = 20;

    bool json = false;

    bool operator==(const EvalCommandLine&) const = default;
};

inline constexpr const char* kEvalSummary =
    "Evaluate a trained model on the test rows of a data set, or on given inputs";

/// Adds the options of `eval` to `command`, which parses into `options`, and its help. Both outlive the
/// parsing.
void addEvalOptions(CLI::App& command, EvalCommandLine& options);

/// Returns the arguments that addEvalOptions() parses into `options`: those of settings that differ from the
/// usual ones, then the model.
std::vector<std::string> evalArguments(const EvalCommandLine& options);

/// BadInput where options that are right one by one do not go together.
Status checkEvalOptions(const EvalCommandLine& options);

} // namespace trainyard
