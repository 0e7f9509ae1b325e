#include "engine/generation/options/try_command_line.h"

#include <cmath>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/option_checks.h"
#include "engine/base/parsed_number.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr auto kFooter =
    R"(RUN is a run's id, its directory, a checkpoint, a folder of checkpoints, or a folder with config.json and
model.safetensors. Without TEXT and --token-ids the text is that on standard input.
Examples:
  trainyard try 20261121T091505Z-gpt-tiny-3f2a "The first train" --temperature 0.8 --top-k 40
  trainyard try bert-base "The train leaves the [MASK]." --answers 10
  trainyard try bert-squad "Who built the line?" --pair "The line was built by Stephenson."
  trainyard try gpt2-tiny --token-ids '[[5,7]]' --greedy --max-new 16 --json)";

/// What is wrong with it; CLI11 would take -1 and too large numbers for others.
std::string seedProblem(const std::string& text)
{
    return parsedNumber<std::uint64_t>(text) ? std::string() : text + " is not a whole number from 0 on";
}

/// CLI11's ranges let "nan" through.
std::string numberProblem(const std::string& text)
{
    const auto number = parsedNumber<double>(text);
    return number && std::isfinite(*number) ? std::string() : text + " is not a number";
}

std::vector<std::string> precisions()
{
    return {kEnumNames<ComputeType>.begin(), kEnumNames<ComputeType>.end()};
}

void addModel(CLI::App& command, TryOptions& options)
{
    command.add_option("RUN", options.model, "Run, checkpoint, or folder with a model")->required();
    command.add_option("TEXT", options.text,
                       "Text to continue, with [MASK] to fill in, to classify, or to tag; or a question");
    command.add_option("--pair", options.pair, "Second sentence, or the text that answers the question");
    command.add_option("--token-ids", options.tokenIds,
                       "Instead of TEXT: lists of tokens, as in [[5,7],[12]], one for each prompt; - reads "
                       "them from standard input");
    CLI::Option* step =
        command.add_option("--step", options.step, "Checkpoint of this step (default: the newest)")
            ->check(wholeNumberProblem<0>);
    command.add_flag("--best", options.best, "The best checkpoint by held-out evaluation")->excludes(step);
    command.add_option("--precision", options.precision, "Compute type")
        ->check(CLI::IsMember(precisions()))
        ->capture_default_str();
    CLI::Option* vocabulary =
        command.add_option("--vocab", options.vocabulary,
                           "vocab.txt or tokenizer.json (default: in the model's folder or of its data set)");
    command.add_flag("--cased", options.cased, "Keep case and accents (default: as the vocabulary looks)")
        ->needs(vocabulary);
}

void addSampling(CLI::App& command, TryOptions& options)
{
    Sampling& sampling = options.sampling;
    CLI::Option* greedy =
        command.add_flag("--greedy", options.greedy, "Always choose the most probable token");
    command
        .add_option("--temperature", sampling.temperature,
                    "Below 1 probable tokens become more probable, above 1 less; 0 = --greedy")
        ->check(positiveOrZeroProblem)
        ->excludes(greedy)
        ->capture_default_str();
    command
        .add_option("--top-k", sampling.topK, "Choose from this many of the most probable tokens; 0 = all")
        ->check(wholeNumberProblem<0>)
        ->excludes(greedy)
        ->capture_default_str();
    command
        .add_option("--top-p", sampling.topP,
                    "Choose from the fewest tokens that together have this probability")
        ->check(CLI::Validator(numberProblem, ""))
        ->check(CLI::Range(0.0, 1.0))
        ->excludes(greedy)
        ->capture_default_str();
    command.add_option("--seed", sampling.seed, "The same seed chooses the same tokens")
        ->check(CLI::Validator(seedProblem, ""))
        ->excludes(greedy)
        ->capture_default_str();
    command
        .add_option("--max-new", options.newTokens,
                    "New tokens for each prompt (default: 64, or as many as the model has positions for)")
        ->check(wholeNumberProblem<1>);
    command.add_flag("--stop", options.stop, "Stop at an end token");
}

} // namespace

void addTryOptions(CLI::App& command, TryOptions& options)
{
    addModel(command, options);
    addSampling(command, options);
    command
        .add_option("--answers", options.answers,
                    "Answers for each [MASK], labels for each text or word, or answers to a question")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--mask-token", options.maskToken,
                       "Token of the mask (default: the vocabulary's [MASK])");
    command.add_flag("--no-answer", options.noAnswer,
                     "The text may lack the answer, as in SQuAD 2.0 (default: as in the run's data set)");
    command.add_flag("--ignore-unused", options.ignoreUnused,
                     "Accept options without a meaning for the model (default: refuse them)");
    CLI::Option* json = command.add_flag("--json", options.json, "Print one JSON document");
    command
        .add_flag("--stream", options.stream, "With --json: before it a line for each token as it is chosen")
        ->needs(json);
    command.footer(kFooter);
}

std::vector<std::string> tryArguments(const TryOptions& options)
{
    const TryOptions usual;
    const Sampling& sampling = options.sampling;
    std::vector<std::string> words;
    const auto addIf = [&words](bool wanted, std::initializer_list<std::string> more) {
        if (wanted)
            words.insert(words.end(), more);
    };
    const auto addNumber = [&words](const char* name, const auto& number, const auto& usualNumber) {
        if (number != usualNumber)
            words.insert(words.end(), {name, fmt::format("{}", number)});
    };
    const auto addOptional = [&words](const char* name, const std::optional<std::int64_t>& number) {
        if (number)
            words.insert(words.end(), {name, std::to_string(*number)});
    };
    addIf(!options.tokenIds.empty(), {"--token-ids", options.tokenIds});
    addOptional("--step", options.step);
    addIf(options.best, {"--best"});
    addIf(options.precision != usual.precision, {"--precision", options.precision});
    addIf(!options.vocabulary.empty(), {"--vocab", options.vocabulary});
    addIf(options.cased, {"--cased"});
    addIf(options.greedy, {"--greedy"});
    if (!options.greedy) {
        addNumber("--temperature", sampling.temperature, usual.sampling.temperature);
        addNumber("--top-k", sampling.topK, usual.sampling.topK);
        addNumber("--top-p", sampling.topP, usual.sampling.topP);
        addNumber("--seed", sampling.seed, usual.sampling.seed);
    }
    addOptional("--max-new", options.newTokens);
    addIf(options.stop, {"--stop"});
    addIf(!options.pair.empty(), {"--pair=" + options.pair}); // it may begin with a dash
    addNumber("--answers", options.answers, usual.answers);
    addIf(options.noAnswer, {"--no-answer"});
    addOptional("--mask-token", options.maskToken);
    addIf(options.ignoreUnused, {"--ignore-unused"});
    addIf(options.json, {"--json"});
    addIf(options.stream, {"--stream"});
    addIf(true, {"--", options.model}); // a text may begin with a dash
    addIf(!options.text.empty(), {options.text});
    return words;
}

Result<std::string> readTriedText()
{
    if (::isatty(STDIN_FILENO) == 1)
        return badInput("no text was given", "give a text, --token-ids, or a text on standard input");
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

} // namespace trainyard
