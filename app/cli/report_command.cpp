#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/record_fetch.h"
#include "app/cli/support/report_files.h"
#include "app/data/model/data_set_inspector.h"
#include "app/hosts/model/host_entry.h"
#include "app/plan/hardware_library.h"
#include "app/report/data_set_report.h"
#include "app/report/report_writer.h"
#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

constexpr int kSamples = 4; ///< rows of a data set as words

struct ReportArguments {
    std::vector<std::string> subjects; ///< run ids, or the folder of a data set
    std::string pattern;               ///< empty: what the runs ask for
    std::vector<std::string> files;
    std::string base; ///< of files in all formats
    std::string hardware;
};

Result<QString> folderOf(const QString& runId)
{
    if (!isPlainName(runId.toStdString()))
        return badInput("\"" + runId.toStdString() + "\" is not a run id",
                        "`trainyard runs` lists them; a data set needs --template data-set");
    const std::filesystem::path folder = runDir(runId);
    if (!std::filesystem::exists(folder))
        return badInput("there is no run " + runId.toStdString(),
                        "`trainyard runs` lists the runs; `trainyard attach RUN --host HOST` fetches one");
    return QString::fromStdString(folder.string());
}

/// A data set as the command line names it: a folder here, or "HOST:/folder".
struct DataSetPlace {
    QString host = thisMachine();
    QString folder;
};

Result<DataSetPlace> placeOf(const std::string& text)
{
    const std::size_t colon = text.find(":/");
    if (colon != std::string::npos && colon > 0)
        return DataSetPlace{QString::fromStdString(text.substr(0, colon)),
                            QString::fromStdString(text.substr(colon + 1))};
    const std::filesystem::path folder = std::filesystem::absolute(text).lexically_normal();
    if (!std::filesystem::is_directory(folder))
        return badInput("there is no folder " + folder.string(),
                        "name the folder of a data set, on another machine as HOST:/folder");
    return DataSetPlace{thisMachine(), QString::fromStdString(folder.string())};
}

Result<DataSetFindings> inspect(const DataSetPlace& place)
{
    Desk desk;
    DataSetInspector inspector(desk.runs());
    console::Awaited<Result<DataSetFindings>> findings;
    findings.onInterrupt([&] {
        inspector.cancel();
        findings.set(Error{ErrorKind::Cancelled, "cancelled", {}});
    });
    QObject::connect(&inspector, &DataSetInspector::progress, findings.context(),
                     [](const QString& text, double) { console::transient(text); });
    QObject::connect(&inspector, &DataSetInspector::finished, findings.context(),
                     [&findings](const Result<DataSetFindings>& result) { findings.set(result); });
    inspector.inspect(place.host, place.folder, DataSetInspector::Depth::Rows, kSamples);
    return findings.wait();
}

Result<ReportDocument> reportOfDataSet(const std::vector<std::string>& subjects)
{
    if (subjects.size() != 1)
        return badInput("the template \"data-set\" reports on one data set", "name one folder");
    TRAINYARD_TRY(const DataSetPlace place, placeOf(subjects.front()));
    TRAINYARD_TRY(const DataSetFindings findings, inspect(place));
    return buildDataSetReport(findings);
}

Result<ReportDocument> documentOf(const ReportArguments& options)
{
    const auto pattern = reportTemplateFromName(options.pattern);
    if (pattern == ReportTemplate::DataSet)
        return reportOfDataSet(options.subjects);
    QStringList runs;
    for (const std::string& run : options.subjects)
        runs << QString::fromStdString(run);
    TRAINYARD_TRY_STATUS(fetchRecords(runs));
    return reportOfRuns(runs, {pattern, options.hardware});
}

/// The files that were written.
Result<QStringList> write(const ReportArguments& options)
{
    TRAINYARD_TRY(const ReportDocument document, documentOf(options));
    TRAINYARD_TRY_STATUS(writeReportFiles(document, {options.files.begin(), options.files.end()}));
    QStringList files;
    for (const std::string& file : options.files)
        files << QString::fromStdString(file);
    if (!options.base.empty()) {
        TRAINYARD_TRY(const QStringList all,
                      writeReportInAllFormats(document, QString::fromStdString(options.base)));
        files << all;
    }
    return files;
}

Status run(const ReportArguments& options)
{
    TRAINYARD_TRY(const auto files, write(options));
    for (const QString& file : files)
        console::print(file);
    return {};
}

} // namespace

Result<ReportDocument> reportOfRuns(const QStringList& runIds, const ReportOptions& options)
{
    QStringList folders;
    for (const QString& runId : runIds) {
        TRAINYARD_TRY(const QString folder, folderOf(runId));
        folders << folder;
    }
    return buildReport(folders, HardwareLibrary(dataDir() / "hardware"), options);
}

Status writeReportFiles(const ReportDocument& document, const std::vector<std::filesystem::path>& files)
{
    for (const auto& file : files)
        TRAINYARD_TRY_STATUS(writeReport(document, QString::fromStdString(file.string())));
    return {};
}

void addReportCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<ReportArguments>();
    CLI::App* command =
        app.add_subcommand("report", "Write a report of runs or of a data set as HTML, PDF, CSV or JSON");
    command
        ->add_option("RUN", o->subjects,
                     "Run ids; with --template data-set, a folder (on another machine HOST:/folder)")
        ->required();
    command
        ->add_option("--template", o->pattern,
                     "Kind of report (default: run for one run, scaling if a model ran on several numbers of "
                     "ranks, else comparison)")
        ->check(CLI::IsMember(reportTemplateNames()));
    CLI::Option* files = command->add_option(
        "--out", o->files, "File to write; its extension selects the format. May be given several times");
    CLI::Option* base =
        command->add_option("--all", o->base, "Write NAME.html, NAME.pdf, NAME.csv and NAME.json")
            ->option_text("NAME");
    command->add_option("--hardware", o->hardware,
                        "Hardware of the nodes, for planned time and cost of runs whose specification does "
                        "not name it: preset (resources/presets/hardware) or calibrated name");
    command->footer(
        "Prints the paths of the files; all formats have the same content. Examples:\n  trainyard report RUN "
        "--out run.pdf\n  trainyard report RUN RUN RUN --template scaling --all study\n  trainyard report "
        "--template data-set gpu-03:/data/wiki-128 --out data.html");
    command->callback([&outcome, o, files, base] {
        if (files->count() + base->count() == 0)
            throw CLI::RequiredError("--out or --all");
        outcome.status = console::exitWith(run(*o));
    });
}

} // namespace trainyard
