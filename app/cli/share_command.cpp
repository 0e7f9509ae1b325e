#include <filesystem>
#include <vector>

#include <QTimer>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/history.h"
#include "app/cli/support/record_fetch.h"
#include "app/share/share_folder.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

constexpr auto kShareFooter =
    R"(DIR/index.html opens by a double click, or from any web server; DIR/data.json has the last value of every metric.
  trainyard share 20261121T091505Z-bert-tiny-3f2a --out page
  trainyard share RUN RUN --out /srv/www/runs --live        until the runs end, or Ctrl+C
  trainyard share RUN --out page --hide-places              without names of hosts and paths)";

constexpr std::chrono::seconds kWriteInterval{2};

struct ShareArguments {
    std::vector<std::string> runs;
    std::string folder;
    bool isLive = false;
    bool hidesPlaces = false;
};

/// The runs in the history; owned by it.
Result<std::vector<OpenRun*>> openRuns(History& history, const std::vector<std::string>& ids)
{
    std::vector<OpenRun*> runs;
    for (const std::string& id : ids) {
        TRAINYARD_TRY(OpenRun * run, history.read(id));
        runs.push_back(run);
    }
    return runs;
}

Status write(ShareFolder& share, History& history, const std::vector<OpenRun*>& runs)
{
    std::vector<SharedRun> shared;
    for (const OpenRun* run : runs) {
        RunEntry entry = history.database().find(run->id()).value_or(RunEntry{});
        updateEntry(entry, run->facts(), run->series());
        shared.push_back({run->facts(), run->series(), entry});
    }
    return share.write(shared);
}

bool isOver(const std::vector<OpenRun*>& runs)
{
    return std::ranges::all_of(runs, [](const OpenRun* run) {
        return run->facts().import || isFinal(run->series().status().state);
    });
}

void follow(OpenRun& run, TargetPool& targets)
{
    auto* follower = new RunFollower(run.id(), run.facts().allHosts(), targets, {}, &run);
    QObject::connect(
        follower, &RunFollower::recordsArrived, &run,
        [&run](const QString& stream, const std::vector<Record>& records) { run.apply(stream, records); });
    QObject::connect(follower, &RunFollower::attemptArrived, &run, &OpenRun::readAttempt);
    QObject::connect(follower, &RunFollower::streamRestarted, &run, &OpenRun::restartStream);
    follower->start();
}

/// Writes what is new every few seconds until all runs are over.
Status shareLive(ShareFolder& share, History& history, const std::vector<OpenRun*>& runs)
{
    Desk desk;
    console::Awaited<Status> end;
    QTimer clock;
    end.onInterrupt([&end] { end.set(cancelled("interrupted; the page stays as it is")); });
    QObject::connect(&clock, &QTimer::timeout, end.context(), [&] {
        if (const Status written = write(share, history, runs); !written.ok() || isOver(runs))
            end.set(written);
    });
    for (OpenRun* run : runs) {
        if (!run->facts().import)
            follow(*run, desk.targets());
    }
    clock.start(kWriteInterval);
    const Status ended = end.wait();
    for (OpenRun* run : runs)
        qDeleteAll(
            run->findChildren<RunFollower*>(QString(), Qt::FindDirectChildrenOnly)); // before the connections
    return ended;
}

Status share(const ShareArguments& arguments)
{
    QStringList ids;
    for (const std::string& id : arguments.runs)
        ids << QString::fromStdString(id);
    TRAINYARD_TRY_STATUS(fetchRecords(ids));
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const auto runs, openRuns(*history, arguments.runs));
    const bool isLive = arguments.isLive && !isOver(runs);
    TRAINYARD_TRY(ShareFolder folder, ShareFolder::open(arguments.folder, {arguments.hidesPlaces, isLive}));
    TRAINYARD_TRY_STATUS(write(folder, *history, runs));
    console::print(QString::fromStdString((std::filesystem::path(arguments.folder) / "index.html").string()));
    if (!isLive)
        return {};
    const Status ended = shareLive(folder, *history, runs);
    folder.setLive(false);
    const Status last = write(folder, *history, runs);
    return ended.ok() ? last : ended;
}

} // namespace

void addShareCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto arguments = std::make_shared<ShareArguments>();
    CLI::App* command =
        app.add_subcommand("share", "Write runs as a page of static files that a browser opens")
            ->footer(kShareFooter);
    command->add_option("RUN", arguments->runs, "Run ids")->required();
    command->add_option("-o,--out", arguments->folder, "Folder for the page; created, or an earlier share")
        ->required();
    command->add_flag("--live", arguments->isLive, "Keep the page up to date until the runs end");
    command->add_flag("--hide-places", arguments->hidesPlaces, "Leave out names of hosts and paths");
    command->callback([&outcome, arguments] { outcome.status = console::exitWith(share(*arguments)); });
}

} // namespace trainyard
