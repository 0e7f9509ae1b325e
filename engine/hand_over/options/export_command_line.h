#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace trainyard {

/// Options of `export` for a model in Hugging Face's format.
struct ModelExportOptions {
    std::string model;                ///< a run, a checkpoint, or a folder of checkpoints
    std::string folder;               ///< to write; must not exist
    std::optional<std::int64_t> step; ///< of several checkpoints; nullopt: the newest
    bool best = false;                ///< the best one by held-out evaluation, instead
    std::string maxShard = "5 GiB";   ///< larger weights are split into several files
    std::string type{};               ///< of the weights; empty: that of an imported model, else float32
    std::string vocabulary;           ///< vocab.txt; empty: that of the run's data set
    bool cased = false;               ///< keep the case, even if `vocabulary` looks as if it had none
    bool withoutTokenizer = false;
    bool adapters = false; ///< low-rank adapters alone, as PEFT stores them

    bool operator==(const ModelExportOptions&) const = default;
};

/// Adds all options but the model to `command`, which parses into `options`. Both outlive the parsing. The
/// returned option is the folder's; the others need it.
CLI::Option* addModelExportOptions(CLI::App& command, ModelExportOptions& options);

/// The arguments that parse into `options`: those of settings that differ from the usual ones, then the
/// model.
std::vector<std::string> modelExportArguments(const ModelExportOptions& options);

} // namespace trainyard
