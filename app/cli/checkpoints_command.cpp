#include <chrono>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUsualVerification{10'000};
constexpr milliseconds kFullVerification{24 * 3600 * 1000};

struct CheckpointsOptions {
    std::string run;
    bool json = false;
    bool verifyAll = false;
    bool verifyNone = false;
};

milliseconds verificationOf(const CheckpointsOptions& options)
{
    if (options.verifyNone)
        return milliseconds(0);
    return options.verifyAll ? kFullVerification : kUsualVerification;
}

Result<QList<RunCheckpoint>> listCheckpoints(const CheckpointsOptions& options)
{
    Desk desk;
    if (!options.verifyNone)
        console::transient("verifying the hashes of the checkpoints ...");
    console::Awaited<Result<QList<RunCheckpoint>>> answer;
    desk.runs().listCheckpoints(
        QString::fromStdString(options.run), verificationOf(options), answer.context(),
        [&](const Result<QList<RunCheckpoint>>& checkpoints) { answer.set(checkpoints); });
    return answer.wait();
}

QJsonDocument toJson(const QList<RunCheckpoint>& checkpoints)
{
    QJsonArray list;
    for (const RunCheckpoint& one : checkpoints)
        list << QJsonObject{{"step", one.step},     {"folder", one.folder}, {"state", one.state},
                            {"reason", one.reason}, {"bytes", one.bytes},   {"verified", one.verified},
                            {"latest", one.latest}, {"best", one.best},     {"next", one.next}};
    return QJsonDocument(QJsonObject{{"checkpoints", list}});
}

QStringList rowOf(const RunCheckpoint& checkpoint)
{
    QStringList notes;
    if (checkpoint.next)
        notes << "used by the next resume";
    if (!checkpoint.reason.isEmpty())
        notes << checkpoint.reason;
    if (checkpoint.best)
        notes << "best held-out evaluation";
    const QString complete = checkpoint.verified ? "complete" : "complete, not verified";
    return {QString::number(checkpoint.step), QString::fromStdString(formatBytes(Bytes(checkpoint.bytes))),
            checkpoint.state == "whole" ? complete : checkpoint.state, notes.join(QStringLiteral(", "))};
}

void printTable(const QList<RunCheckpoint>& checkpoints)
{
    if (checkpoints.isEmpty())
        return console::note("The run has no checkpoint yet.");
    QList<QStringList> rows{{"step", "size", "state", "note"}};
    for (const RunCheckpoint& one : checkpoints)
        rows << rowOf(one);
    console::print(console::table(rows));
}

Status showCheckpoints(const CheckpointsOptions& options)
{
    TRAINYARD_TRY(const auto checkpoints, listCheckpoints(options));
    if (options.json)
        console::print(toJson(checkpoints));
    else
        printTable(checkpoints);
    return {};
}

} // namespace

void addCheckpointsCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto options = std::make_shared<CheckpointsOptions>();
    CLI::App* command = app.add_subcommand(
        "checkpoints", "List the checkpoints of a run: step, size, and whether they are complete");
    addRunOption(*command, options->run);
    addJsonFlag(*command, options->json);
    CLI::Option* all = command->add_flag(
        "--verify", options->verifyAll,
        "Verify the hashes of all checkpoints, however long it takes (default: the newest ones, for 10 s)");
    command->add_flag("--no-verify", options->verifyNone, "Check only manifests and sizes")->excludes(all);
    command->callback([&outcome, options] { outcome.status = console::exitWith(showCheckpoints(*options)); });
}

} // namespace trainyard
