#include "engine/evaluation/options/eval_command_line.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/option_checks.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr auto kFooter =
    R"(RUN is a run's id, its directory, a checkpoint, a folder of checkpoints, or a folder with config.json and
model.safetensors. With --data the figures are exact means over the test rows of the data set.
Examples:
  trainyard eval 20261121T091505Z-bert-tiny-3f2a --best --data wiki-128
  trainyard eval gpt2-tiny --data wiki-gpt --batches 8 --json
  trainyard eval --hf bert-base --inputs batch.safetensors --out results.safetensors
  trainyard eval --hf bert-base --inputs batch.safetensors --train lamb --steps 50 --json)";

template <typename Enum>
CLI::IsMember namesOf()
{
    return CLI::IsMember(std::vector<std::string>{kEnumNames<Enum>.begin(), kEnumNames<Enum>.end()});
}

void addModelOptions(CLI::App& command, EvalCommandLine& options)
{
    CLI::Option* run = command.add_option("RUN", options.model, "Run, checkpoint, or folder with a model");
    command.add_option("--hf", options.model, "Instead of RUN: folder of a Hugging Face model")
        ->excludes(run);
    CLI::Option* step =
        command.add_option("--step", options.step, "Checkpoint of this step (default: the newest)")
            ->check(wholeNumberProblem<0>);
    command.add_flag("--best", options.best, "The best checkpoint by held-out evaluation")->excludes(step);
}

void addTrainOptions(CLI::App& command, EvalCommandLine& options, CLI::Option* inputs, CLI::Option* train)
{
    train->check(namesOf<OptimizerKind>())->needs(inputs);
    OptimizerSpec& optimizer = options.training;
    const auto add = [&](const char* name, auto& value, const char* help) {
        command.add_option(name, value, help)->needs(train)->capture_default_str();
    };
    add("--steps", options.steps, "Optimizer steps");
    add("--lr", optimizer.learningRate, "Learning rate");
    add("--beta1", optimizer.beta1, "Decay rate of the first moment");
    add("--beta2", optimizer.beta2, "Decay rate of the second moment");
    add("--eps,--epsilon", optimizer.epsilon, "Added to the denominator");
    add("--weight-decay", optimizer.weightDecay, "Weight decay per step, times the learning rate");
    add("--clip,--clip-norm", optimizer.clipNorm, "Maximum gradient norm; 0 = no clipping");
}

/// SGD keeps no moments.
Status checkMoments(const EvalCommandLine& options)
{
    if (options.optimizer != nameOf(OptimizerKind::Sgd))
        return {};
    const OptimizerSpec usual;
    const OptimizerSpec& given = options.training;
    const char* unused = given.beta1 != usual.beta1       ? "--beta1"
                         : given.beta2 != usual.beta2     ? "--beta2"
                         : given.epsilon != usual.epsilon ? "--eps"
                                                          : nullptr;
    return unused ? Status(badInput(
                        fmt::format("{} has no meaning with --train sgd, which has no moments", unused),
                        "leave it out"))
                  : Status();
}

} // namespace

void addEvalOptions(CLI::App& command, EvalCommandLine& options)
{
    addModelOptions(command, options);
    CLI::Option* data =
        command.add_option("--data", options.dataSet, "Data set whose test rows are evaluated");
    command
        .add_option("--batches", options.batches,
                    "Only the first global batches of test rows (default: all test rows)")
        ->check(wholeNumberProblem<1>)
        ->needs(data);
    CLI::Option* inputs =
        command.add_option("--inputs", options.inputs, "Instead of --data: safetensors file with one batch")
            ->excludes(data);
    command
        .add_option("--out", options.out,
                    "With --inputs: safetensors file to write loss, logits and gradients to")
        ->needs(inputs);
    command.add_option("--precision", options.precision, "Compute type")
        ->check(namesOf<ComputeType>())
        ->capture_default_str();
    CLI::Option* train = command.add_option("--train", options.optimizer,
                                            "Train on the inputs and print the loss of each step");
    command
        .add_option("--layout", options.layout,
                    "Specification file: evaluate in its layout, with ranks as threads of this process")
        ->excludes(train);
    addTrainOptions(command, options, inputs, train);
    command.add_flag("--json", options.json, "Print one JSON document");
    command.footer(kFooter);
}

std::vector<std::string> evalArguments(const EvalCommandLine& options)
{
    const EvalCommandLine usual;
    std::vector<std::string> words;
    const auto add = [&words](const char* name, const auto& value, const auto& usualValue) {
        if (value != usualValue)
            words.insert(words.end(), {name, fmt::format("{}", value)});
    };
    const auto addFlag = [&words](const char* name, bool isSet) {
        if (isSet)
            words.emplace_back(name);
    };
    if (options.step)
        words.insert(words.end(), {"--step", std::to_string(*options.step)});
    addFlag("--best", options.best);
    add("--data", options.dataSet, usual.dataSet);
    add("--batches", options.batches, usual.batches);
    add("--inputs", options.inputs, usual.inputs);
    add("--out", options.out, usual.out);
    add("--precision", options.precision, usual.precision);
    add("--layout", options.layout, usual.layout);
    add("--train", options.optimizer, usual.optimizer);
    add("--steps", options.steps, usual.steps);
    add("--lr", options.training.learningRate, usual.training.learningRate);
    add("--beta1", options.training.beta1, usual.training.beta1);
    add("--beta2", options.training.beta2, usual.training.beta2);
    add("--eps", options.training.epsilon, usual.training.epsilon);
    add("--weight-decay", options.training.weightDecay, usual.training.weightDecay);
    add("--clip", options.training.clipNorm, usual.training.clipNorm);
    addFlag("--json", options.json);
    words.insert(words.end(), {"--", options.model});
    return words;
}

Status checkEvalOptions(const EvalCommandLine& options)
{
    if (options.model.empty())
        return badInput("no model was given",
                        "name a run, a checkpoint, or a folder with config.json and model.safetensors");
    if (options.dataSet.empty() && options.inputs.empty())
        return badInput("there is nothing to evaluate on", "give --data DIR or --inputs FILE");
    if (options.out == "-")
        return badInput("--out -: tensors are not printed on standard output", "name a file for them");
    TRAINYARD_TRY_STATUS(checkMoments(options));
    const bool onInputs = !options.inputs.empty();
    if (onInputs && !options.layout.empty() && options.out.empty())
        return badInput("--layout with --inputs changes only what --out gets", "give --out FILE");
    if (onInputs && options.json && options.optimizer.empty())
        return badInput("--json has nothing to print without --train or --data",
                        "give --out FILE for loss, logits and gradients");
    return {};
}

} // namespace trainyard
