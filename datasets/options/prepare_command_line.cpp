#include "datasets/options/prepare_command_line.h"

#include <algorithm>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/options/prepare_fields.h"
#include "engine/base/parsed_number.h"

namespace trainyard {

namespace {

constexpr const char* kTokenizerHelp =
    "tokenizer.json of Hugging Face tokenizers: byte pair encoding or WordPiece; special_tokens_map.json and "
    "tokenizer_config.json beside it are used too";

/// What is wrong with it; CLI11 would take -1 and too large numbers for others.
std::string seedProblem(const std::string& text)
{
    if (parsedNumber<std::uint64_t>(text))
        return {};
    return fmt::format("{} is not a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
}

/// Adds each option to a command.
struct OptionAdder {
    CLI::App& command;

    void operator()(const OptionInfo& info, bool& value) const
    {
        command.add_flag(info.option, value, info.help);
    }
    void operator()(const OptionInfo& info, std::filesystem::path& value) const
    {
        command.add_option(info.option, value, info.help);
    }
    void operator()(const OptionInfo& info, std::string& value) const
    {
        auto* option = command.add_option(info.option, value, info.help);
        if (!value.empty())
            option->capture_default_str();
        if (!info.choices.empty())
            option->check(CLI::IsMember(info.choices));
    }
    void operator()(const OptionInfo& info, std::uint64_t& value) const
    {
        auto* option = command.add_option(info.option, value, info.help);
        if (info.isSize)
            option->transform(CLI::AsSizeValue(false))->default_str("1G");
        else
            option->check(CLI::Validator(seedProblem, ""))->capture_default_str();
    }
    template <typename Number>
    void operator()(const OptionInfo& info, Number& value) const
    {
        command.add_option(info.option, value, info.help)->capture_default_str();
    }
    template <NamedEnum Enum>
    void operator()(const OptionInfo& info, Enum& value) const
    {
        const auto toNumber = [](std::string& text) {
            const auto chosen = enumFromName<Enum>(CLI::detail::to_lower(text));
            if (!chosen)
                return fmt::format("{} is none of: {}", text, acceptedNames<Enum>());
            text = std::to_string(static_cast<int>(*chosen)); // as CLI11 reads an enumeration
            return std::string();
        };
        command.add_option(info.option, value, info.help + ": " + acceptedNames<Enum>())
            ->transform(CLI::Validator(toNumber, ""))
            ->option_text(fmt::format("TEXT [{}]", nameOf(value)));
    }
};

/// Appends the arguments that set each option.
struct ArgumentWriter {
    std::vector<std::string>& arguments;

    void operator()(const OptionInfo& info, bool set) const
    {
        if (set)
            arguments.emplace_back(info.option);
    }
    void operator()(const OptionInfo& info, const std::filesystem::path& path) const
    {
        if (!path.empty())
            arguments.insert(arguments.end(), {info.option, path.string()});
    }
    void operator()(const OptionInfo& info, const std::string& text) const
    {
        if (!text.empty())
            arguments.insert(arguments.end(), {info.option, text});
    }
    template <typename Value>
    void operator()(const OptionInfo& info, const Value& value) const
    {
        arguments.emplace_back(info.option);
        if constexpr (std::is_enum_v<Value>)
            arguments.emplace_back(nameOf(value));
        else
            arguments.push_back(fmt::format("{}", value));
    }
};

/// A little more than the masked share of 15 %, as BERT's 20 of 128 and 80 of 512.
int usualPredictions(int sequenceLength)
{
    return std::max(1, sequenceLength * 5 / 32);
}

std::vector<std::string> joined(const std::vector<RowShape>& shapes, int RowShape::*member)
{
    std::vector<std::string> numbers;
    for (const RowShape& shape : shapes)
        numbers.push_back(std::to_string(shape.*member));
    return numbers;
}

void appendTokenizer(const PrepareOptions& options, std::vector<std::string>& arguments)
{
    const auto append = [&](const char* option, std::string value) {
        arguments.insert(arguments.end(), {option, std::move(value)});
    };
    if (options.trainVocabulary > 0)
        append("--train-vocab", std::to_string(options.trainVocabulary));
    else if (options.trainTokenizer > 0)
        append("--train-tokenizer", std::to_string(options.trainTokenizer));
    else if (!options.tokenizer.empty())
        append("--tokenizer", options.tokenizer.string());
    else
        append("--vocab", options.vocabulary.string());
}

/// A form keeps the values of fields that it hides; the command would refuse them.
PrepareOptions meaningful(PrepareOptions options)
{
    options.task = options.task.meaningful();
    if (!options.task.heldOut.empty())
        options.testFraction = PrepareOptions().testFraction;
    return options;
}

} // namespace

void PrepareCommandLine::addTo(CLI::App& command)
{
    const OptionAdder adder{command};
    command.add_option(
        "corpus", m_options.dumps,
        "files in document order, or folders of a data set; text plain, .bz2, .gz or .zst, or - for standard "
        "input: MediaWiki "
        "exports (pages-articles, with or without multistream, whole or in parts), "
        "wikiextractor output, JSON lines, Parquet, Arrow, plain text (needs --format), or token ids of "
        "Megatron-LM (.idx with .bin)");
    command.add_option("--documents", m_options.parts,
                       "instead of files: folders created by `documents` from the parts of a corpus, in "
                       "order; the result is the same as reading all files here");
    describeReading(m_options, adder);
    describeText(m_options, adder);
    command.add_option("--vocab", m_options.vocabulary, "WordPiece vocabulary (vocab.txt)");
    command.add_option("--train-vocab", m_options.trainVocabulary,
                       "train a vocabulary of this many pieces on the corpus");
    command.add_option("--tokenizer", m_options.tokenizer, kTokenizerHelp);
    command.add_option("--train-tokenizer", m_options.trainTokenizer,
                       "train a byte-level BPE of this many tokens on the corpus");
    command
        .add_option("--seq-len", m_lengths,
                    "tokens per row; several (128,512) create one data set each, in folders seq128, seq512")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--max-pred", m_predictions,
                    "maximum number of masked positions per row; one value per --seq-len (default: 20 for "
                    "128, 80 for "
                    "512, and in proportion)")
        ->delimiter(',');
    describeRows(m_options, adder);
    command
        .add_option(
            "--weights", m_options.weights,
            "mixture: shares of the inputs in the training rows, as in 7,2,1, one for each file, folder or "
            "--documents; inputs are repeated or used in part (default: as many as they have)")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--also", m_formats, "additional output formats")
        ->delimiter(',')
        ->check(CLI::IsMember({"megatron", "mds"}));
    command
        .add_option("--out", m_options.out,
                    "folder of the data set; appears when it is complete; missing parents are created")
        ->required();
    describeShards(m_options, adder);
    describeTask(m_options, adder);
    command
        .add_option(
            "--labels", m_options.task.labels,
            "classes of a task, separated by commas, in the order of their numbers (default: those of the "
            "examples, sorted)")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option(
            "--held-out", m_options.task.heldOut,
            "file of a task whose examples become test rows, instead of a --test-fraction of the others; "
            "may be given several times")
        ->allow_extra_args(false);
    describeResources(m_options, adder);
    describeProvenance(m_options, adder);
}

Result<PrepareOptions> PrepareCommandLine::options() const
{
    PrepareOptions options = m_options;
    auto predictions = m_predictions;
    if (predictions.empty())
        std::ranges::transform(m_lengths, std::back_inserter(predictions), usualPredictions);
    if (m_lengths.empty() || m_lengths.size() != predictions.size())
        return badInput(fmt::format("--seq-len has {} values and --max-pred has {}", m_lengths.size(),
                                    predictions.size()),
                        "use one --max-pred for each --seq-len, as in --seq-len 128,512 --max-pred 20,80");
    for (std::size_t i = 0; i < m_lengths.size(); ++i)
        options.shapes.push_back({m_lengths[i], predictions[i]});
    options.extra.megatron = std::ranges::count(m_formats, "megatron") > 0;
    options.extra.mds = std::ranges::count(m_formats, "mds") > 0;
    return options;
}

void addDocumentsOptions(CLI::App& command, PrepareOptions& options)
{
    command.add_option("corpus", options.dumps, "files in document order")->required();
    describeReading(options, OptionAdder{command});
    describeText(options, OptionAdder{command});
    command.add_option("--vocab", options.vocabulary, "WordPiece vocabulary (vocab.txt)");
    command.add_option("--tokenizer", options.tokenizer, kTokenizerHelp);
    command
        .add_option("--out", options.out,
                    "folder of the documents; appears when it is complete; missing parents are created")
        ->required();
    describeResources(options, OptionAdder{command});
}

std::vector<std::string> prepareArguments(const PrepareOptions& asked)
{
    const PrepareOptions options = meaningful(asked);
    // Files first: an option of several values would take them for its own.
    std::vector<std::string> arguments(options.dumps.begin(), options.dumps.end());
    for (const auto& folder : options.parts)
        arguments.insert(arguments.end(), {"--documents", folder.string()});
    appendTokenizer(options, arguments);
    arguments.insert(arguments.end(), {"--out", options.out.string()});
    const ArgumentWriter writer{arguments};
    describeReading(options, writer);
    describeText(options, writer);
    describeRows(options, writer);
    describeShards(options, writer);
    if (options.task.isOn())
        describeTask(options, writer);
    describeResources(options, writer);
    describeProvenance(options, writer);
    const auto list = [&](const char* option, const std::vector<std::string>& values) {
        if (!values.empty())
            arguments.insert(arguments.end(), {option, fmt::format("{}", fmt::join(values, ","))});
    };
    list("--labels", options.task.labels);
    for (const auto& file : options.task.heldOut)
        arguments.insert(arguments.end(), {"--held-out", file.string()});
    list("--seq-len", joined(options.shapes, &RowShape::sequenceLength));
    if (!options.task.isOn())
        list("--max-pred", joined(options.shapes, &RowShape::maxPredictions));
    if (!options.weights.empty())
        arguments.insert(arguments.end(), {"--weights", fmt::format("{}", fmt::join(options.weights, ","))});
    if (options.extra.megatron)
        list("--also", {"megatron"});
    if (options.extra.mds)
        list("--also", {"mds"});
    return arguments;
}

std::vector<std::string> documentsArguments(const PrepareOptions& options)
{
    std::vector<std::string> arguments(options.dumps.begin(), options.dumps.end());
    appendTokenizer(options, arguments);
    arguments.insert(arguments.end(), {"--out", options.out.string()});
    describeReading(options, ArgumentWriter{arguments});
    describeText(options, ArgumentWriter{arguments});
    describeResources(options, ArgumentWriter{arguments});
    return arguments;
}

std::optional<PrepareOptions> fromPrepareArguments(std::vector<std::string> arguments)
{
    CLI::App command;
    PrepareCommandLine line;
    line.addTo(command);
    std::ranges::reverse(arguments); // the order in which CLI11 takes them
    try {
        command.parse(std::move(arguments));
    } catch (const CLI::ParseError&) {
        return std::nullopt;
    }
    const auto options = line.options();
    return options.ok() ? std::optional(*options) : std::nullopt;
}

} // namespace trainyard
