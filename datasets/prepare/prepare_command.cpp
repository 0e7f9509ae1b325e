#include "datasets/prepare/commands.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "datasets/prepare/job_watch.h"
#include "datasets/prepare/preparation.h"
#include "datasets/prepare/progress_sink.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct PrepareArguments {
    PrepareOptions options;
    fs::path runDirectory; ///< empty = progress on the terminal
    std::uint32_t attempt = 1;
    bool json = false;
};

void addRowOptions(CLI::App& command, PrepareOptions& options)
{
    command.add_option("--seq-len", options.instances.sequenceLength, "tokens per row")
        ->capture_default_str();
    command.add_option("--max-pred", options.instances.maxPredictions, "masked positions per row, at most")
        ->capture_default_str();
    command
        .add_option("--dupe", options.dupeFactor,
                    "passes over every document, each with other pairs and masks")
        ->capture_default_str();
    command.add_option("--seed", options.instances.seed, "of everything random")->capture_default_str();
    command.add_flag("--cased", options.cased, "keep case and accents");
}

void addShardOptions(CLI::App& command, PrepareOptions& options)
{
    command
        .add_option("--out", options.out,
                    "folder of the data set; appears when it is complete; missing parents are made")
        ->required();
    command.add_option("--name", options.corpus, "first part of the shards' names")->capture_default_str();
    command
        .add_option(
            "--shards", options.trainingShards,
            fmt::format("training shards of equal size, at least {}; best a multiple of the number of ranks",
                        PrepareOptions::kFewestTrainingShards))
        ->capture_default_str();
    command.add_option("--test-shards", options.testShards, "shards held out for tests")
        ->capture_default_str();
    command.add_option("--test-fraction", options.testFraction, "share of documents held out")
        ->capture_default_str();
    command.add_option("--threads", options.threads, "0 = one per core; does not change the result")
        ->capture_default_str();
}

Result<std::unique_ptr<ProgressSink>> openSink(const PrepareArguments& arguments)
{
    if (arguments.runDirectory.empty())
        return terminalSink();
    TRAINYARD_TRY(JournalWriter journal,
                  JournalWriter::open(arguments.runDirectory / "journal", "prepare", arguments.attempt));
    return journalSink(std::move(journal));
}

void printSummary(const Manifest& manifest, const fs::path& out)
{
    const DatasetStatistics& s = manifest.statistics;
    fmt::print("{}\n{} documents, {} sentences, {} tokens; {} training and {} test rows in {} shards\n",
               out.string(), s.documents, s.sentences, s.tokens, manifest.trainingRows(), manifest.testRows(),
               manifest.shards.size());
}

Status prepare(const PrepareArguments& arguments)
{
    blockStopSignals();
    TRAINYARD_TRY(auto sink, openSink(arguments));
    std::optional<fs::path> stopFile;
    if (!arguments.runDirectory.empty())
        stopFile = arguments.runDirectory / "control" / "stop";
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, std::move(sink), stopFile);
    const Result<Manifest> manifest = prepareDataset(arguments.options, progress, cancel);
    watch.end(manifest.ok() ? Status() : Status(manifest.error()));
    if (!manifest.ok())
        return manifest.error();
    if (arguments.json)
        fmt::print("{}", manifest->toJson());
    else
        printSummary(*manifest, arguments.options.out);
    return {};
}

} // namespace

Command addPrepareCommand(CLI::App& app)
{
    auto arguments = std::make_shared<PrepareArguments>();
    CLI::App* command =
        app.add_subcommand("prepare", "turn MediaWiki dumps into shards for BERT pre-training");
    command->add_option("dumps", arguments->options.dumps, "export files, .xml or .xml.bz2")->required();
    command->add_option("--vocab", arguments->options.vocabulary, "WordPiece vocabulary (vocab.txt)");
    command->add_option("--train-vocab", arguments->options.trainVocabulary,
                        "make a vocabulary of this many pieces from the dumps");
    addRowOptions(*command, arguments->options);
    addShardOptions(*command, arguments->options);
    command->add_option("--run-dir", arguments->runDirectory,
                        "record progress in DIR/journal/prepare, stop when DIR/control/stop appears");
    command->add_option("--attempt", arguments->attempt, "number of this start of the run, for its records")
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "print the manifest");
    return {command, [arguments] { return prepare(*arguments); }};
}

} // namespace trainyard
