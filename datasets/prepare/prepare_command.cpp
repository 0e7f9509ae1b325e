#include "datasets/prepare/commands.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "datasets/prepare/job_watch.h"
#include "datasets/prepare/option_names.h"
#include "datasets/prepare/preparation.h"
#include "datasets/prepare/progress_sink.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

struct PrepareArguments {
    PrepareOptions options;
    std::vector<int> sequenceLengths{128};
    std::vector<int> maxPredictions{20};
    std::vector<std::string> also;
    double saveEvery = 5;
    fs::path runDirectory; ///< empty = progress on the terminal
    std::uint32_t attempt = 1;
    bool json = false;
};

/// An option that takes one of the names of an enumeration.
template <typename Names, typename Enum>
CLI::Option* addChoice(CLI::App& command, const char* option, Enum& value, const Names& names,
                       const std::string& help)
{
    std::map<std::string, Enum> choices;
    std::string accepted;
    for (const auto& [name, each] : names) {
        choices.emplace(name, each);
        accepted += (accepted.empty() ? "" : ", ") + std::string(name);
    }
    const std::string before(nameIn(names, value));
    return command.add_option(option, value, help + ": " + accepted)
        ->transform(CLI::CheckedTransformer(choices, CLI::ignore_case).description(""))
        ->option_text("TEXT [" + before + "]");
}

void addCorpusOptions(CLI::App& command, PrepareOptions& options)
{
    addChoice(command, "--format", options.format, kFormatNames, "what the files are");
    command.add_flag("--headings", options.keepHeadings, "keep headings, as sentences of their own");
    command.add_flag("--lists", options.keepLists, "keep the items of lists, as sentences");
    command.add_option("--punkt", options.punkt,
                       "cut sentences by the Punkt parameters in this folder, not by the built-in rules");
    command
        .add_option("--profile", options.profile,
                    "whose word pieces: Hugging Face's, or those of Google's and NVIDIA's tokenization.py")
        ->check(CLI::IsMember({"hf", "google-py"}))
        ->capture_default_str();
}

void addRowOptions(CLI::App& command, PrepareArguments& arguments)
{
    PrepareOptions& options = arguments.options;
    command
        .add_option("--seq-len", arguments.sequenceLengths,
                    "tokens per row; several (128,512) make a data set each, in folders seq128, seq512")
        ->delimiter(',')
        ->capture_default_str();
    command
        .add_option("--max-pred", arguments.maxPredictions,
                    "masked positions per row, at most; one for each --seq-len")
        ->delimiter(',')
        ->capture_default_str();
    addChoice(command, "--objective", options.instances.objective, kObjectiveNames,
              "what rows teach: pairs with masks, masks alone, or the next token");
    addChoice(command, "--nsp", options.instances.nextSentence, kNextSentenceNames,
              "what the second part of a pair is, half of the time: of another document, swapped with the "
              "first, or always the next sentence");
    command.add_flag("--whole-word", options.instances.wholeWords, "mask all pieces of a word or none");
    command
        .add_option("--dupe", options.dupeFactor,
                    "passes over every document, each with other pairs and masks")
        ->capture_default_str();
    command.add_option("--seed", options.instances.seed, "of everything random")->capture_default_str();
    command.add_flag("--cased", options.cased, "keep case and accents");
}

void addShardOptions(CLI::App& command, PrepareArguments& arguments)
{
    PrepareOptions& options = arguments.options;
    command.add_option("--also", arguments.also, "further formats of the same data")
        ->delimiter(',')
        ->check(CLI::IsMember({"megatron", "mds"}));
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
    command.add_option("--memory", options.memoryBytes, "what the process may use, such as 1G")
        ->transform(CLI::AsSizeValue(false))
        ->default_str("1G");
    command.add_flag("--provenance", options.extra.provenance,
                     "columns that tell from which documents and sentences each row comes");
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

void printSummary(const PreparedDataset& set)
{
    const Manifest& manifest = set.manifest;
    const DatasetStatistics& s = manifest.statistics;
    fmt::print("{}\n{} documents, {} sentences, {} tokens; {} training and {} test rows in {} shards\n",
               set.folder.string(), s.documents, s.sentences, s.tokens, manifest.trainingRows(),
               manifest.testRows(), manifest.shards.size());
}

Result<PrepareOptions> optionsOf(const PrepareArguments& arguments)
{
    PrepareOptions options = arguments.options;
    const auto& lengths = arguments.sequenceLengths;
    const auto& predictions = arguments.maxPredictions;
    if (lengths.empty() || lengths.size() != predictions.size())
        return badInput(
            fmt::format("--seq-len has {} values and --max-pred has {}", lengths.size(), predictions.size()),
            "give one --max-pred for each --seq-len, as in --seq-len 128,512 --max-pred 20,80");
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
    TRAINYARD_TRY(auto sink, openSink(arguments));
    std::optional<fs::path> stopFile;
    if (!arguments.runDirectory.empty())
        stopFile = arguments.runDirectory / "control" / "stop";
    Progress progress;
    CancelFlag cancel;
    JobWatch watch(progress, cancel, std::move(sink), stopFile);
    const auto sets = prepareDataset(options, progress, cancel);
    watch.end(sets.ok() ? Status() : Status(sets.error()));
    if (!sets.ok())
        return sets.error();
    for (const PreparedDataset& set : *sets)
        arguments.json ? fmt::print("{}", set.manifest.toJson()) : printSummary(set);
    return {};
}

} // namespace

Command addPrepareCommand(CLI::App& app)
{
    auto arguments = std::make_shared<PrepareArguments>();
    CLI::App* command =
        app.add_subcommand("prepare", "turn MediaWiki dumps into shards for BERT pre-training");
    command
        ->add_option(
            "corpus", arguments->options.dumps,
            "files in the order of their documents, plain, .bz2 or .gz, or - for the standard input: "
            "MediaWiki exports (pages-articles, multistream or not, in parts or whole), output of "
            "wikiextractor, lines of JSON, or plain text, which needs --format")
        ->required();
    addCorpusOptions(*command, arguments->options);
    command->add_option("--vocab", arguments->options.vocabulary, "WordPiece vocabulary (vocab.txt)");
    command->add_option("--train-vocab", arguments->options.trainVocabulary,
                        "make a vocabulary of this many pieces from the dumps");
    addRowOptions(*command, *arguments);
    addShardOptions(*command, *arguments);
    command
        ->add_option("--save-every", arguments->saveEvery,
                     "seconds of work that are lost at most when the process is killed: the same command "
                     "then goes on where it stopped")
        ->check(CLI::Range(0.001, 3600.0))
        ->capture_default_str();
    command->add_option("--run-dir", arguments->runDirectory,
                        "record progress in DIR/journal/prepare, stop when DIR/control/stop appears");
    command->add_option("--attempt", arguments->attempt, "number of this start of the run, for its records")
        ->capture_default_str();
    command->add_flag("--json", arguments->json,
                      "print the manifest; one after the other for several --seq-len");
    return {command, [arguments] { return prepare(*arguments); }};
}

} // namespace trainyard
