#include "datasets/prepare/commands.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "datasets/options/prepare_command_line.h"
#include "datasets/prepare/job_place.h"
#include "datasets/prepare/preparation.h"
#include "engine/base/counted.h"
#include "engine/base/standard_streams.h"

namespace trainyard {

namespace {

struct PrepareArguments {
    PrepareCommandLine line;
    double saveEvery = 5;
    JobPlace place;
    bool json = false;
};

std::string rowsText(const Manifest& manifest)
{
    return fmt::format("{} training and {} test {} in {}", manifest.trainingRows(), manifest.testRows(),
                       nounFor(manifest.testRows(), "row"), counted(manifest.shards.size(), "shard"));
}

void printSummary(const PreparedDataset& set)
{
    const Manifest& manifest = set.manifest;
    const DatasetStatistics& s = manifest.statistics;
    if (manifest.taskKind() != TaskKind::None)
        return printOutput(fmt::format("{}\n{}, {}; {}\n", set.folder.string(),
                                       counted(s.documents, "example"), counted(s.tokens, "token"),
                                       rowsText(manifest)));
    printOutput(fmt::format("{}\n{}, {}, {}; {}\n", set.folder.string(), counted(s.documents, "document"),
                            counted(s.sentences, "sentence"), counted(s.tokens, "token"),
                            rowsText(manifest)));
}

/// Prints one manifest, or an array of several.
void printJson(const std::vector<PreparedDataset>& sets)
{
    std::string text;
    for (const PreparedDataset& set : sets)
        text += (text.empty() ? "" : ",\n") + set.manifest.toJson();
    printOutput(sets.size() == 1 ? text : "[\n" + text + "]\n");
}

Status prepare(const PrepareArguments& arguments)
{
    TRAINYARD_TRY(PrepareOptions options, arguments.line.options());
    if (options.task.isOn() && arguments.line.asksForPredictions())
        return badInput(
            fmt::format("--max-pred cannot be combined with --task {}", nameOf(options.task.kind)),
            "leave it out: labelled examples have no masks");
    options.saveEvery = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.saveEvery * 1e3));
    TRAINYARD_TRY(const auto sets, arguments.place.watch(
                                       [&](Progress& progress, const CancelFlag& cancel) {
                                           return prepareDataset(options, progress, cancel);
                                       },
                                       options.out));
    if (arguments.json)
        printJson(sets);
    else
        std::for_each(sets.begin(), sets.end(), printSummary);
    return {};
}

} // namespace

Command addPrepareCommand(CLI::App& app)
{
    auto arguments = std::make_shared<PrepareArguments>();
    CLI::App* command =
        app.add_subcommand("prepare", "turn MediaWiki dumps, or labelled examples, into shards");
    command->footer(
        "Examples:\n"
        "  trainyard prepare enwiki-latest-pages-articles.xml.bz2 --train-vocab 30522 --out wiki-128\n"
        "  trainyard prepare dump.xml.bz2 --vocab vocab.txt --seq-len 128,512 --shards 64 --out wiki\n"
        "  trainyard prepare --task classify glue/SST-2 --vocab vocab.txt --out sst-2\n"
        "  trainyard prepare --task tag train.conll --tokenizer roberta-base/tokenizer.json --out names\n"
        "  trainyard prepare gpu-03:/d/1.bz2 gpu-04:/d/2.bz2 --host gpu-03 --host gpu-04 --vocab "
        "/d/vocab.txt --out /d/wiki-128");
    arguments->line.addTo(*command);
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
