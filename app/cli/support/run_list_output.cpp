#include "app/cli/support/run_list_output.h"

#include <algorithm>
#include <map>

#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/history.h"
#include "app/cli/support/record_fetch.h"
#include "app/cli/support/run_alerts.h"
#include "app/exchange/run_list_csv.h"
#include "app/runs/open_run.h"
#include "app/runs/run_query.h"
#include "remote/launch/desk_run.h"

namespace trainyard {

namespace {

struct ListedRun {
    RunEntry entry;
    QString kind;
    QString state;
    std::optional<DeskRun> desk; ///< as this desk started it or attached to it
    QList<Alert> alerts{};       ///< by the records that are here
};

RunEntry entryOf(const DeskRun& run)
{
    RunEntry entry;
    entry.id = run.id;
    entry.name = run.name;
    entry.hosts = run.hosts;
    entry.attempt = int(run.attempt);
    entry.isTraining = run.kind == RunKind::Train;
    entry.createdMs = run.createdNs / 1'000'000;
    return entry;
}

/// The history, and the jobs of this desk that are no trainings.
QList<ListedRun> knownRuns(const RunDatabase& database)
{
    std::map<QString, DeskRun> own;
    for (const DeskRun& run : deskRuns())
        own.emplace(run.id, run);
    QList<ListedRun> listed;
    for (const RunEntry& entry : database.runs()) {
        ListedRun run{entry, nameOf(RunKind::Train), toQString(nameOf(entry.state)), std::nullopt};
        if (const auto known = own.extract(entry.id))
            run.desk = known.mapped();
        if (!entry.importedFrom.isEmpty())
            run.kind = QStringLiteral("imported");
        listed.append(run);
    }
    for (const auto& [id, run] : own)
        listed.append({entryOf(run), nameOf(run.kind), QStringLiteral("unknown"), run});
    std::stable_sort(listed.begin(), listed.end(), [](const ListedRun& a, const ListedRun& b) {
        return a.entry.createdMs > b.entry.createdMs;
    });
    return listed;
}

/// A run that is over says so in its records, unless it was resumed since.
bool mayHaveChanged(const ListedRun& run)
{
    return run.desk && (!run.entry.isOver() || int(run.desk->attempt) > run.entry.attempt);
}

void takeAnswer(ListedRun& run, const QList<HostRun>& answer)
{
    for (const HostRun& known : answer) {
        if (known.id != run.entry.id)
            continue;
        run.entry.state = known.state;
        run.entry.reason = known.reason;
        run.entry.step = known.step;
        run.entry.steps = known.steps;
        run.state = toQString(nameOf(known.state));
    }
}

void askHosts(QList<ListedRun>& runs)
{
    Desk desk;
    std::map<QString, QList<HostRun>> answers;
    for (ListedRun& run : runs) {
        if (!mayHaveChanged(run))
            continue;
        const QString head = run.desk->head();
        if (!answers.contains(head))
            answers[head] = desk.listRuns(head);
        takeAnswer(run, answers[head]);
    }
}

/// Of runs that are at work, by all that is known: a host may have said that one is over whose records end
/// before.
void judge(QList<ListedRun>& runs, RunStore& store)
{
    const AlertThresholds thresholds = deskThresholds();
    for (ListedRun& run : runs) {
        if (run.entry.isOver() || run.entry.spec.isEmpty())
            continue;
        if (const auto open = store.open(run.entry.id); open.ok())
            run.alerts = openAlerts(**open, thresholds);
    }
}

QJsonValue number(double value)
{
    return std::isfinite(value) ? QJsonValue(value) : QJsonValue();
}

QJsonObject toJson(const ListedRun& run)
{
    const RunEntry& e = run.entry;
    return {{"run", e.id},
            {"name", e.name},
            {"kind", run.kind},
            {"state", run.state},
            {"reason", e.reason},
            {"alerts", alertsJson(run.alerts)},
            {"step", e.step},
            {"steps", e.steps},
            {"loss", number(e.loss)},
            {"best_held_out_loss", number(e.bestHeldOutLoss)},
            {"seconds_to_target", number(e.secondsToTarget)},
            {"tokens_to_target", number(e.tokensToTarget)},
            {"sequences_per_second", number(e.sequencesPerSecond)},
            {"attempt", run.desk ? qint64(run.desk->attempt) : qint64(e.attempt)},
            {"hosts", QJsonArray::fromStringList(e.hosts)},
            {"tags", QJsonArray::fromStringList(e.tags)},
            {"notes", e.notes},
            {"archived", e.isArchived},
            {"imported_from", e.importedFrom}};
}

QStringList toRow(const ListedRun& run)
{
    const RunEntry& e = run.entry;
    const bool waits = e.state == RunState::Pending && !e.reason.isEmpty();
    return {e.id,
            run.kind,
            waits ? e.reason : run.state,
            alertWords(run.alerts),
            e.steps > 0 ? QStringLiteral("%1/%2").arg(e.step).arg(e.steps) : QStringLiteral("–"),
            displayLoss(e.loss),
            displayLoss(e.bestHeldOutLoss),
            e.hosts.join(QStringLiteral(", ")),
            e.tags.join(QStringLiteral(", "))};
}

void printTable(const QList<ListedRun>& runs, const RunListOptions& options)
{
    if (runs.isEmpty())
        return console::print(options.search.empty() ? "No runs yet. `trainyard launch SPEC` starts one."
                                                     : "No run matches.");
    QList<QStringList> rows{{"run", "kind", "state", "alerts", "step", "loss", "held-out", "hosts", "tags"}};
    for (const ListedRun& run : runs)
        rows.append(toRow(run));
    console::print(console::table(rows));
}

QStringList idsOfDeskRuns()
{
    QStringList ids;
    for (const DeskRun& run : deskRuns())
        ids.append(run.id);
    return ids;
}

void printCsv(const QList<ListedRun>& runs)
{
    QList<RunEntry> entries;
    for (const ListedRun& run : runs) {
        if (run.entry.isTraining)
            entries.append(run.entry);
    }
    console::print(runListCsv(entries).chopped(1)); // print() ends the last line
}

} // namespace

Status printRuns(const RunListOptions& options)
{
    const RunQuery search(QString::fromStdString(options.search));
    if (!search.problem().isEmpty())
        return badInput("--search: " + search.problem().toStdString(), "see `trainyard runs --help`");
    if (options.csv && !options.recorded)
        TRAINYARD_TRY_STATUS(fetchRecords(idsOfDeskRuns()));
    TRAINYARD_TRY(const auto history, History::open());
    QList<ListedRun> runs = knownRuns(history->database());
    if (!options.recorded)
        askHosts(runs);
    runs.removeIf([&](const ListedRun& run) { return !search.matches(run.entry); });
    if (options.csv) {
        printCsv(runs);
        return {};
    }
    judge(runs, history->store());
    if (!options.json) {
        printTable(runs, options);
        return {};
    }
    QJsonArray array;
    for (const ListedRun& run : runs)
        array << toJson(run);
    console::print(QJsonDocument(array));
    return {};
}

} // namespace trainyard
