#include <algorithm>
#include <filesystem>

#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/history.h"
#include "app/cli/support/model_place.h"
#include "app/cli/support/node_tool.h"
#include "app/cli/support/output_file.h"
#include "app/cli/support/record_fetch.h"
#include "app/exchange/csv_import.h"
#include "app/exchange/history_import.h"
#include "app/exchange/run_export.h"
#include "app/exchange/run_sources.h"
#include "app/hosts/model/model_export.h"
#include "engine/base/standard_streams.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

constexpr auto kExportFooter =
    R"(A run: its series, evaluations, events and specification. DIR gets one folder per run, as TensorBoard expects.
  trainyard export RUN --tensorboard logs && tensorboard --logdir logs
  trainyard export RUN --csv curves.csv --json run.json
  trainyard export RUN --json - | jq .evaluations
Its model, from whichever host, with tokenizer and model card, for AutoModel and AutoTokenizer of Hugging Face's
transformers; RUN is also a run's directory, a checkpoint, or a folder of checkpoints:
  trainyard export RUN --hugging-face bert-tiny --best
  trainyard export RUN --hf /models/bert-tiny --on-host     leaves the folder on the run's host
  trainyard export runs/20261121T091505Z-bert-tiny-3f2a/checkpoints --hf bert-tiny)";

constexpr auto kImportFooter =
    R"(PATH is a folder with runs of other tools, or a file. Imported runs join the history and can be searched, compared,
tagged and reported; what is left out of them is named.
  TensorBoard   event files: each folder with some becomes a run, its hyperparameters too
  MLflow        a file store (mlruns): metrics, parameters, tags
  W&B           histories (wandb-history.jsonl, or what run.scan_history() gives, as JSON lines or Parquet) with their
                config
  Neptune       the Parquet files of its exporter (RUN_part_0.parquet)
  CSV           a table of numbers, also W&B's export of a chart
  trainyard import logs/ --tag from-tensorboard
  trainyard import mlruns/
  trainyard import curves.csv --step iteration --columns loss,lr
  trainyard import curves.csv --list          lists the contents, without importing
A checkpoint from a model:
  trainyard import --hf bert-base --out bert-base-checkpoint)";

struct ExportOptions {
    std::string run;
    ModelExportOptions model; ///< but for its run
    std::string host;
    bool onHost = false; ///< leave the model's folder there
    std::string tensorboard;
    std::string csv;
    std::string json;
};

struct ImportOptions {
    std::string path;
    std::string hf;
    std::string checkpoint;
    std::string name;
    std::string step;
    std::string time;
    std::string loss;
    std::vector<std::string> columns;
    std::vector<std::string> tags;
    bool list = false;
    bool json = false;
};

QString textOf(const std::string& text)
{
    return QString::fromStdString(text);
}

Status exportOnHost(const std::string& host, ExportOptions options)
{
    TRAINYARD_TRY_STATUS(makeAbsolute(host, {{"--vocab", options.model.vocabulary}}));
    if (options.onHost)
        TRAINYARD_TRY_STATUS(makeAbsolute(host, {{"--hf", options.model.folder}}));
    Desk desk;
    ModelExport job(desk.runs(), textOf(host), options.model,
                    options.onHost ? ModelExport::Place::Host : ModelExport::Place::Here);
    QObject::connect(&job, &ModelExport::noticed, &job, [](const QString& text) {
        console::transient({});
        printNotice(text.toStdString() + '\n');
    });
    TRAINYARD_TRY_STATUS(console::await<Status>(job));
    console::print(textOf((options.onHost ? host + ":" : std::string()) + options.model.folder));
    return {};
}

Result<int> exportModel(ExportOptions options)
{
    TRAINYARD_TRY(const ModelPlace place, modelPlaceOf(options.run, options.host));
    options.model.model = place.model;
    if (place.host.empty() && options.onHost)
        return badInput("--on-host is for the model of a run or of --host", "leave it out");
    if (place.host.empty()) {
        std::vector<std::string> words = modelExportArguments(options.model);
        words.insert(words.begin(), "export");
        return becomeNodeTool("trainyard-worker", words);
    }
    TRAINYARD_TRY_STATUS(exportOnHost(place.host, options));
    return 0;
}

int importModel(const ImportOptions& options)
{
    return becomeNodeTool("trainyard-worker", {"import", "--hf", options.hf, "--out", options.checkpoint});
}

using ExportToFile = Status(const RunFacts&, const RunSeries&, const std::filesystem::path&);
using ExportToSink = Status(const RunFacts&, const RunSeries&, const TextSink&);

/// One of the formats that are text. `otherIsPrinted`: standard output has the other one.
Status exportText(const OpenRun& run, const std::string& file, bool otherIsPrinted, ExportToFile toFile,
                  ExportToSink toSink)
{
    if (file.empty())
        return {};
    const auto print = [](std::string_view part) {
        printFilePart(part);
        return Status();
    };
    if (isStandardOutput(file))
        return toSink(run.facts(), run.series(), print);
    TRAINYARD_TRY_STATUS(toFile(run.facts(), run.series(), file));
    printWritten(file, otherIsPrinted);
    return {};
}

Status exportRun(const ExportOptions& options)
{
    if (options.run.empty() || (options.tensorboard.empty() && options.csv.empty() && options.json.empty()))
        return badInput("name a run and at least one output",
                        "use --tensorboard DIR, --csv FILE, --json FILE or --hf DIR");
    TRAINYARD_TRY_STATUS(checkOutputFile("--csv", options.csv));
    TRAINYARD_TRY_STATUS(checkOutputFile("--json", options.json));
    const bool csvIsPrinted = isStandardOutput(options.csv);
    const bool jsonIsPrinted = isStandardOutput(options.json);
    TRAINYARD_TRY_STATUS(checkOnePrinted({{"--csv -", csvIsPrinted}, {"--json -", jsonIsPrinted}}));
    TRAINYARD_TRY_STATUS(fetchRecords({textOf(options.run)}));
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const OpenRun* run, history->read(options.run));
    if (!options.tensorboard.empty()) {
        TRAINYARD_TRY(const auto file, exportTensorBoard(run->facts(), run->series(), options.tensorboard));
        printWritten(file.string(), csvIsPrinted || jsonIsPrinted);
    }
    TRAINYARD_TRY_STATUS(exportText(*run, options.csv, jsonIsPrinted, exportCsv, writeCsv));
    return exportText(*run, options.json, csvIsPrinted, exportJson, writeJson);
}

bool showHowFar(const QString& run, double share)
{
    console::transient(QStringLiteral("reading %1  %2 %").arg(run).arg(share * 100, 0, 'f', 0));
    return true;
}

Result<std::vector<LoadedRun>> loadSources(const std::filesystem::path& path)
{
    auto loaded = loadRuns(path, showHowFar);
    console::transient({});
    if (!loaded.ok())
        return loaded.error();
    for (const QString& warning : std::as_const(loaded->warnings))
        console::warn(warning);
    return std::move(loaded->runs);
}

Result<std::vector<LoadedRun>> loadTable(const ImportOptions& options)
{
    const std::filesystem::path path = options.path;
    TRAINYARD_TRY(const CsvTable table, readCsv(path));
    CsvColumns columns = guessColumns(table);
    if (!options.step.empty())
        columns.step = textOf(options.step);
    if (!options.time.empty())
        columns.time = textOf(options.time);
    if (!options.columns.empty())
        columns.series.clear();
    for (const std::string& column : options.columns)
        columns.series.append(textOf(column));
    columns.series.removeAll(columns.step);
    columns.series.removeAll(columns.time);
    return loadCsv(table, columns, textOf(path.stem().string()),
                   textOf(std::filesystem::absolute(path).string()));
}

QJsonObject toJson(const LoadedRun& run, const QString& id)
{
    QJsonArray series;
    for (const PointSeries& one : run.series)
        series << QJsonObject{{"name", one.name}, {"points", qint64(one.points.size())}};
    QJsonObject metrics;
    for (const auto& [metric, name] : run.import.metrics)
        metrics[nameOf(metric)] = name;
    QJsonObject json{{"name", run.import.name},     {"format", run.import.format},
                     {"source", run.import.source}, {"series", series},
                     {"figures", metrics},          {"warnings", QJsonArray::fromStringList(run.warnings)}};
    if (!id.isEmpty())
        json["run"] = id;
    return json;
}

void describe(const LoadedRun& run)
{
    QList<QStringList> rows{{run.import.name, "points", "imported as"}};
    for (const PointSeries& one : run.series) {
        QString metric;
        for (const auto& [known, name] : run.import.metrics)
            metric = name == one.name ? nameOf(known) : metric;
        rows << QStringList{one.name, QString::number(one.points.size()), metric};
    }
    console::print(console::table(rows));
}

Status applyOptions(const ImportOptions& options, std::vector<LoadedRun>& runs)
{
    for (LoadedRun& run : runs) {
        for (const std::string& tag : options.tags)
            run.import.tags.append(textOf(tag).simplified());
        if (!options.name.empty())
            run.import.name =
                runs.size() == 1 ? textOf(options.name) : textOf(options.name) + u'/' + run.import.name;
        if (options.loss.empty())
            continue;
        const QString loss = textOf(options.loss);
        const bool known =
            std::ranges::any_of(run.series, [&](const PointSeries& one) { return one.name == loss; });
        if (!known)
            return badInput(run.import.name.toStdString() + " has no series \"" + options.loss + "\"",
                            "--list shows its series");
        run.import.metrics[ImportedMetric::Loss] = loss;
    }
    return {};
}

/// Their ids; with --list they stay outside the history, and have none.
Result<QStringList> keep(const std::vector<LoadedRun>& runs, const ImportOptions& options)
{
    if (options.list)
        return QStringList(qsizetype(runs.size()), QString());
    TRAINYARD_TRY(const auto history, History::open());
    return importIntoHistory(history->database(), dataDir() / "runs", runs);
}

Status importRuns(const ImportOptions& options)
{
    if (options.path.empty())
        return badInput(
            "a path to import is needed",
            "a folder of TensorBoard, MLflow, W&B or Neptune, a history (.jsonl, .parquet), or a CSV file");
    TRAINYARD_TRY(auto runs, isRunSource(options.path) ? loadSources(options.path) : loadTable(options));
    TRAINYARD_TRY_STATUS(applyOptions(options, runs));
    for (const LoadedRun& run : runs) {
        for (const QString& warning : run.warnings)
            console::warn(warning);
    }
    TRAINYARD_TRY(const QStringList ids, keep(runs, options));
    QJsonArray document;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const QString& id = ids[qsizetype(i)];
        if (options.json)
            document << toJson(runs[i], id);
        else if (options.list)
            describe(runs[i]);
        else
            console::print(id);
    }
    if (options.json)
        console::print(QJsonDocument(document));
    return {};
}

void addExport(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<ExportOptions>();
    CLI::App* command = app.add_subcommand(
        "export", "Export a run to TensorBoard, CSV or JSON, or its model to Hugging Face's format");
    CLI::Option* run = command->add_option("RUN", o->run, "Run id; with --hf, also the path of a checkpoint");
    CLI::Option* model = addModelExportOptions(*command, o->model)->needs(run);
    command->add_option("--host", o->host, "With --hf: host of the checkpoint, and RUN is a path there")
        ->needs(model);
    command->add_flag("--on-host", o->onHost, "With --hf: leave the folder on the model's host")
        ->needs(model);
    command->add_option("--tensorboard", o->tensorboard, "Folder for event files")->excludes(model);
    command->add_option("--csv", o->csv, "CSV file to write, one line per step; - writes to standard output")
        ->excludes(model);
    command
        ->add_option("--json", o->json,
                     "JSON file to write: series, evaluations, events, specification; - as with --csv")
        ->excludes(model);
    command->footer(kExportFooter);
    command->callback([&outcome, o] {
        outcome.status =
            o->model.folder.empty() ? console::exitWith(exportRun(*o)) : console::exitWith(exportModel(*o));
    });
}

void addImport(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<ImportOptions>();
    CLI::App* command = app.add_subcommand(
        "import",
        "Import runs of TensorBoard, MLflow, W&B or CSV, or make a checkpoint from a Hugging Face model");
    CLI::Option* path = command->add_option(
        "PATH", o->path, "Folder with runs, an event file, a history (.jsonl, .parquet), or a CSV file");
    command->add_option("--name", o->name, "Name of the run (default: that of its folder or file)");
    command->add_option("--tag", o->tags, "Tag for the imported runs; may be given several times");
    command->add_option("--step", o->step,
                        "CSV: column with the steps (default: by name, else rows are counted)");
    command->add_option("--time", o->time, "CSV: column with the times (default: by name)");
    command
        ->add_option("--columns", o->columns,
                     "CSV: columns to import, separated by commas (default: all numeric ones)")
        ->delimiter(',');
    command->add_option("--loss", o->loss, "Series to use as the loss (default: by name)");
    command->add_flag("--list", o->list, "Only list the contents");
    addJsonFlag(*command, o->json);
    CLI::Option* model = command->add_option("--hf", o->hf, "Folder of a Hugging Face model")->excludes(path);
    CLI::Option* checkpoint =
        command->add_option("--out", o->checkpoint, "Folder for the checkpoint")->needs(model);
    model->needs(checkpoint);
    command->footer(kImportFooter);
    command->callback([&outcome, o] {
        outcome.status = o->hf.empty() ? console::exitWith(importRuns(*o)) : importModel(*o);
    });
}

} // namespace

void addExchangeCommands(CLI::App& app, CommandOutcome& outcome)
{
    addExport(app, outcome);
    addImport(app, outcome);
}

} // namespace trainyard
