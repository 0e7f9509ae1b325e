#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/report_files.h"
#include "app/models/hardware_library.h"
#include "app/report/report_builder.h"
#include "app/report/report_writer.h"
#include "engine/base/file.h"
#include "remote/target/desk_folders.h"

namespace trainyard {

namespace {

Result<QString> folderOf(const QString& runId)
{
    if (!isPlainName(runId.toStdString()))
        return badInput("\"" + runId.toStdString() + "\" is not a run id", "`trainyard runs` lists them");
    const std::filesystem::path folder = deskRunFolder(runId);
    if (!std::filesystem::exists(folder))
        return badInput("this desk does not know the run " + runId.toStdString(),
                        "`trainyard runs` lists the runs; `trainyard attach RUN --host HOST` fetches one");
    return QString::fromStdString(folder.string());
}

} // namespace

Status writeReportFiles(const QStringList& runIds, const std::vector<std::filesystem::path>& files,
                        const std::string& hardware)
{
    QStringList folders;
    for (const QString& runId : runIds) {
        TRAINYARD_TRY(const QString folder, folderOf(runId));
        folders << folder;
    }
    TRAINYARD_TRY(const ReportDocument document,
                  buildReport(folders, HardwareLibrary(deskDataFolder() / "hardware"), hardware));
    for (const auto& file : files)
        TRAINYARD_TRY_STATUS(writeReport(document, QString::fromStdString(file.string())));
    return {};
}

void addReportCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::vector<std::string> runs;
        std::vector<std::string> files;
        std::string hardware;
    };
    auto o = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("report", "A report of one or several runs as HTML, PDF, CSV or JSON");
    command->add_option("RUN", o->runs, "Run ids")->required();
    command
        ->add_option("--out", o->files,
                     "File to write; its ending decides the format. May be given several times")
        ->required();
    command->add_option(
        "--hardware", o->hardware,
        "What the nodes are, for the planned time of runs whose specification does not say it: a "
        "preset (resources/presets/hardware) or your own");
    command->callback([&outcome, o] {
        QStringList runs;
        for (const std::string& run : o->runs)
            runs << QString::fromStdString(run);
        const Status written = writeReportFiles(runs, {o->files.begin(), o->files.end()}, o->hardware);
        outcome.status = written.ok() ? 0 : console::fail(written.error());
        if (written.ok()) {
            for (const std::string& file : o->files)
                console::print(QString::fromStdString(file));
        }
    });
}

} // namespace trainyard
