#include "engine/hand_over/options/export_command_line.h"

#include <initializer_list>

#include <CLI/CLI.hpp>

#include "engine/base/option_checks.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

CLI::Validator byteSize()
{
    return CLI::Validator(
        [](const std::string& text) {
            const auto bytes = parseBytes(text);
            return bytes.ok() ? std::string() : bytes.error().text();
        },
        "SIZE");
}

/// Shells add them; the last part of the path names the model.
std::string removeSlashes(std::string& folder)
{
    while (folder.size() > 1 && folder.ends_with('/'))
        folder.pop_back();
    return {};
}

} // namespace

CLI::Option* addModelExportOptions(CLI::App& command, ModelExportOptions& options)
{
    CLI::Option* folder = command
                              .add_option("--hf,--hugging-face", options.folder,
                                          "Folder for a Hugging Face model; must not exist")
                              ->transform(CLI::Validator(removeSlashes, ""));
    CLI::Option* step =
        command.add_option("--step", options.step, "Checkpoint of this step (default: the newest)")
            ->check(wholeNumberProblem<0>)
            ->needs(folder);
    command.add_flag("--best", options.best, "The best checkpoint by held-out evaluation")
        ->excludes(step)
        ->needs(folder);
    CLI::Option* maxShard = command
                                .add_option("--max-shard", options.maxShard,
                                            "Split larger weights into files of at most this size")
                                ->check(byteSize())
                                ->capture_default_str()
                                ->needs(folder);
    command
        .add_option("--dtype", options.type,
                    "Type of the weights (default: that of an imported model, else float32)")
        ->check(CLI::IsMember({"float64", "float32", "bfloat16", "float16"}))
        ->needs(folder);
    CLI::Option* vocabulary =
        command
            .add_option("--vocab", options.vocabulary,
                        "vocab.txt or tokenizer.json (default: that of the run's data set)")
            ->needs(folder);
    command.add_flag("--cased", options.cased, "Keep case and accents (default: as the vocabulary looks)")
        ->needs(vocabulary);
    command.add_flag("--no-tokenizer", options.withoutTokenizer, "Weights and model card alone")
        ->needs(folder)
        ->excludes(vocabulary);
    command
        .add_flag("--adapters", options.adapters,
                  "Low-rank adapters alone, for PEFT (default: weights with the adapters merged)")
        ->needs(folder)
        ->excludes(maxShard);
    return folder;
}

std::vector<std::string> modelExportArguments(const ModelExportOptions& options)
{
    const ModelExportOptions usual;
    std::vector<std::string> words{"--hf", options.folder};
    const auto addIf = [&words](bool wanted, std::initializer_list<std::string> more) {
        if (wanted)
            words.insert(words.end(), more);
    };
    if (options.step)
        addIf(true, {"--step", std::to_string(*options.step)});
    addIf(options.best, {"--best"});
    addIf(options.maxShard != usual.maxShard, {"--max-shard", options.maxShard});
    addIf(!options.type.empty(), {"--dtype", options.type});
    addIf(!options.vocabulary.empty(), {"--vocab", options.vocabulary});
    addIf(options.cased, {"--cased"});
    addIf(options.withoutTokenizer, {"--no-tokenizer"});
    addIf(options.adapters, {"--adapters"});
    addIf(true, {"--", options.model});
    return words;
}

} // namespace trainyard
