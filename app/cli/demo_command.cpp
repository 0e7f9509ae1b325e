#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/report_files.h"
#include "app/demo/demo_flow.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

Result<QString> finish(DemoFlow& demo)
{
    console::Awaited<Result<QString>> answer;
    answer.onInterrupt([&demo] { demo.cancel(); });
    QObject::connect(&demo, &DemoFlow::progress, answer.context(),
                     [](const QString& text) { console::note(text); });
    QObject::connect(&demo, &DemoFlow::runStarted, answer.context(),
                     [](const QString& runId, RunKind) { console::note("run " + runId); });
    QObject::connect(&demo, &DemoFlow::finished, answer.context(),
                     [&answer](const Result<QString>& result) { answer.set(result); });
    demo.start();
    return answer.wait();
}

Status writeReports(const QString& run, const std::filesystem::path& folder)
{
    TRAINYARD_TRY(const ReportDocument document, reportOfRuns({run}));
    return writeReportFiles(document, {folder / "report.html", folder / "report.pdf"});
}

Status demoHeadless(const std::string& out)
{
    const std::filesystem::path folder = out.empty() ? dataDir() / "demo" : std::filesystem::absolute(out);
    Desk desk;
    DemoFlow demo({folder}, desk.runs());
    TRAINYARD_TRY(const auto run, finish(demo));
    const std::filesystem::path runFolder = runDir(run);
    TRAINYARD_TRY_STATUS(writeReports(run, folder));
    console::print("dataset  " + QString::fromStdString(demo.datasetFolder().string()));
    console::print("run      " + QString::fromStdString(runFolder.string()));
    for (const char* name : {"report.html", "report.pdf"})
        console::print("report   " + QString::fromStdString((folder / name).string()));
    return {};
}

} // namespace

void addDemoCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::string out;
        bool headless = false; // only asked for by the program's start, which opens the window otherwise
    };
    auto o = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "demo", "Prepare a sample dump, train on 2 ranks and write a report, on this machine");
    command->add_flag("--headless", o->headless, "Run without a window and print the paths");
    command->add_option("--out", o->out,
                        "Folder for the data set and the report (default: in Trainyard's data folder)");
    command->callback([&outcome, o] { outcome.status = console::exitWith(demoHeadless(o->out)); });
}

} // namespace trainyard
