#include "datasets/prepare/commands.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "datasets/job/job_watch.h"
#include "datasets/prepare/corpus_options.h"
#include "datasets/prepare/job_place.h"
#include "datasets/prepare/preparation.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct PrepareArguments {
    PrepareOptions options;
    std::vector<int> sequenceLengths{128};
    std::vector<int> maxPredictions; ///< empty = as usual for the lengths
    std::vector<std::string> also;
    double saveEvery = 5;
    JobPlace place;
    bool json = false;
};

/// What is wrong with it; CLI11 would take -1 and too large numbers for others.
std::string seedProblem(const std::string& text)
{
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, seed);
    if (error == std::errc() && last == end)
        return {};
    return fmt::format("{} is not a whole number from 0 to {}", text,
                       std::numeric_limits<std::uint64_t>::max());
}

void addRowOptions(CLI::App& command, PrepareArguments& arguments)
{
    PrepareOptions& options = arguments.options;
    command
        .add_option("--seq-len", arguments.sequenceLengths,
                    "tokens per row; several (128,512) create one data set each, in folders seq128, seq512")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--max-pred", arguments.maxPredictions,
                    "maximum number of masked positions per row; one value per --seq-len (default: 20 for "
                    "128, 80 for "
                    "512, and in proportion)")
        ->delimiter(',');
    addChoice(command, "--objective", options.instances.objective, kObjectiveNames,
              "training objective: pairs with masks, masks alone, or the next token");
    addChoice(command, "--nsp", options.instances.nextSentence, kNextSentenceNames,
              "second part of half of the pairs: from another document, swapped with the first part, or "
              "always the next sentence");
    command.add_flag("--whole-word", options.instances.wholeWords, "mask all pieces of a word or none");
    command
        .add_option("--dupe", options.dupeFactor,
                    "passes over every document, each with different pairs and masks")
        ->capture_default_str();
    command.add_option("--seed", options.instances.seed, "seed of all random numbers")
        ->check(CLI::Validator(seedProblem, ""))
        ->capture_default_str();
}

void addShardOptions(CLI::App& command, PrepareArguments& arguments)
{
    PrepareOptions& options = arguments.options;
    command.add_option("--also", arguments.also, "additional output formats")
        ->delimiter(',')
        ->check(CLI::IsMember({"megatron", "mds"}));
    command
        .add_option("--out", options.out,
                    "folder of the data set; appears when it is complete; missing parents are created")
        ->required();
    command.add_option("--name", options.corpus, "first part of the shards' names")->capture_default_str();
    command
        .add_option(
            "--shards", options.trainingShards,
            fmt::format(
                "training shards of equal size, at least {}; ideally a multiple of the number of ranks",
                PrepareOptions::kMinTrainingShards))
        ->capture_default_str();
    command.add_option("--test-shards", options.testShards, "shards held out for tests")
        ->capture_default_str();
    command.add_option("--test-fraction", options.testFraction, "share of documents held out")
        ->capture_default_str();
    addResourceOptions(command, options);
    command.add_flag("--provenance", options.extra.provenance,
                     "add columns with the source documents and sentences of each row");
}

void printSummary(const PreparedDataset& set)
{
    const Manifest& manifest = set.manifest;
    const DatasetStatistics& s = manifest.statistics;
    printOutput(
        fmt::format("{}\n{} documents, {} sentences, {} tokens; {} training and {} test rows in {} shards\n",
                    set.folder.string(), s.documents, s.sentences, s.tokens, manifest.trainingRows(),
                    manifest.testRows(), manifest.shards.size()));
}

/// A little more than the masked share of 15 %, as BERT's 20 of 128 and 80 of 512.
int usualPredictions(int sequenceLength)
{
    return std::max(1, sequenceLength * 5 / 32);
}

/// One manifest, or an array of several.
void printJson(const std::vector<PreparedDataset>& sets)
{
    std::string text;
    for (const PreparedDataset& set : sets)
        text += (text.empty() ? "" : ",\n") + set.manifest.toJson();
    printOutput(sets.size() == 1 ? text : "[\n" + text + "]\n");
}

Result<PrepareOptions> optionsOf(const PrepareArguments& arguments)
{
    PrepareOptions options = arguments.options;
    const auto& lengths = arguments.sequenceLengths;
    auto predictions = arguments.maxPredictions;
    for (std::size_t i = 0; arguments.maxPredictions.empty() && i < lengths.size(); ++i)
        predictions.push_back(usualPredictions(lengths[i]));
    if (lengths.empty() || lengths.size() != predictions.size())
        return badInput(
            fmt::format("--seq-len has {} values and --max-pred has {}", lengths.size(), predictions.size()),
            "use one --max-pred for each --seq-len, as in --seq-len 128,512 --max-pred 20,80");
    for (std::size_t i = 0; i < lengths.size(); ++i)
        options.shapes.push_back({lengths[i], predictions[i]});
    options.saveEvery = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.saveEvery * 1e3));
    for (const std::string& format : arguments.also)
        (format == "mds" ? options.extra.mds : options.extra.megatron) = true;
    return options;
}

Status prepare(const PrepareArguments& arguments)
{
    TRAINYARD_TRY(const PrepareOptions options, optionsOf(arguments));
    blockStopSignals();
    TRAINYARD_TRY(auto sink, arguments.place.openSink());
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, std::move(sink), arguments.place.stopFile(), options.out);
    const auto sets = prepareDataset(options, progress, cancel);
    watch.end(sets.ok() ? Status() : Status(sets.error()));
    if (!sets.ok())
        return sets.error();
    if (arguments.json)
        printJson(*sets);
    else
        std::for_each(sets->begin(), sets->end(), printSummary);
    return {};
}

} // namespace

Command addPrepareCommand(CLI::App& app)
{
    auto arguments = std::make_shared<PrepareArguments>();
    CLI::App* command =
        app.add_subcommand("prepare", "turn MediaWiki dumps into shards for BERT pre-training");
    command->footer(
        "Examples:\n"
        "  trainyard prepare enwiki-latest-pages-articles.xml.bz2 --train-vocab 30522 --out wiki-128\n"
        "  trainyard prepare dump.xml.bz2 --vocab vocab.txt --seq-len 128,512 --shards 64 --out wiki\n"
        "  trainyard prepare gpu-03:/d/1.bz2 gpu-04:/d/2.bz2 --host gpu-03 --host gpu-04 --vocab "
        "/d/vocab.txt --out /d/wiki-128");
    command->add_option("corpus", arguments->options.dumps,
                        "files in document order, plain, .bz2 or .gz, or - for standard input: MediaWiki "
                        "exports (pages-articles, with or without multistream, whole or in parts), "
                        "wikiextractor output, JSON lines, or plain text (needs --format)");
    command->add_option("--documents", arguments->options.parts,
                        "instead of files: folders created by `documents` from the parts of a corpus, in "
                        "order; the result is the same as reading all files here");
    addCorpusOptions(*command, arguments->options);
    command->add_option("--vocab", arguments->options.vocabulary, "WordPiece vocabulary (vocab.txt)");
    command->add_option("--train-vocab", arguments->options.trainVocabulary,
                        "train a vocabulary of this many pieces on the corpus");
    addRowOptions(*command, *arguments);
    addShardOptions(*command, *arguments);
    command
        ->add_option("--save-every", arguments->saveEvery,
                     "seconds between progress checkpoints: after a kill, the same command resumes from the "
                     "last one; finished shards are recorded immediately")
        ->check(CLI::Range(0.001, 3600.0))
        ->capture_default_str();
    arguments->place.addOptions(*command);
    command->add_flag("--json", arguments->json,
                      "print the manifest, or an array of manifests for several --seq-len");
    return {command, [arguments] { return prepare(*arguments); }};
}

} // namespace trainyard
