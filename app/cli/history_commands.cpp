#include <filesystem>
#include <iostream>

#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/follow.h"
#include "app/cli/support/history.h"
#include "app/cli/support/output_file.h"
#include "app/cli/support/record_fetch.h"
#include "app/cli/support/run_list_output.h"
#include "app/cli/support/terminal.h"
#include "app/history/model/run_comparison.h"
#include "app/runs/run_query.h"
#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/desk_run.h"

namespace trainyard {

namespace {

struct HistoryOptions {
    RunListOptions list;
    std::vector<std::string> runs;
    std::string run;
    std::vector<std::string> tags;
    std::string text;
    std::string name;
    std::string out;
    bool undo = false;
    bool hosts = false;
    bool json = false;
    bool follow = false;
};

Status changeTags(const HistoryOptions& options)
{
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const RunEntry entry, history->find(options.run));
    QStringList tags = entry.tags;
    for (const std::string& word : options.tags) {
        const QString tag = QString::fromStdString(word).simplified();
        tags.removeAll(tag);
        if (!options.undo && !tag.isEmpty())
            tags.append(tag);
    }
    TRAINYARD_TRY_STATUS(history->database().setTags(entry.id, tags));
    console::print(tags.join(QStringLiteral(", ")));
    return {};
}

Status changeNotes(const HistoryOptions& options)
{
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const RunEntry entry, history->find(options.run));
    return history->database().setNotes(entry.id, QString::fromStdString(options.text));
}

Status changeArchive(const HistoryOptions& options)
{
    TRAINYARD_TRY(const auto history, History::open());
    for (const std::string& run : options.runs) {
        TRAINYARD_TRY(const RunEntry entry, history->find(run));
        TRAINYARD_TRY_STATUS(history->database().setArchived(entry.id, !options.undo));
    }
    return {};
}

/// The name that the person types to confirm, if there is somebody to ask.
std::string askForName(const QString& question)
{
    if (!Terminal::isThere())
        return {};
    console::note(question);
    std::string typed;
    std::getline(std::cin, typed);
    return typed;
}

/// Removes the run's folder on each of its hosts. To be asked again where that was interrupted or a host was
/// away.
Status removeFromHosts(const RunEntry& entry)
{
    if (entry.hosts.isEmpty())
        return {};
    Desk desk;
    console::Awaited<Status> answer;
    answer.onInterrupt(
        [&] { answer.set(cancelled("interrupted; some files may have been removed already")); });
    desk.runs().removeFromHosts(entry.id, answer.context(),
                                [&](const Status& status) { answer.set(status); });
    console::transient("deleting on " + entry.hosts.join(QStringLiteral(", ")));
    return answer.wait();
}

Status deleteRun(const HistoryOptions& options)
{
    TRAINYARD_TRY_STATUS(fetchRecords({QString::fromStdString(options.run)}));
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const RunEntry entry, history->find(options.run));
    if (!entry.isOver())
        return refused(entry.id.toStdString() + " has not ended",
                       "`trainyard stop " + options.run + "` ends it");
    const QString what =
        options.hosts
            ? QStringLiteral("its records on this computer and its folder with every checkpoint on %1")
                  .arg(entry.hosts.join(QStringLiteral(", ")))
            : QStringLiteral("its records on this computer; files on its hosts are kept");
    const std::string typed =
        !options.name.empty()
            ? options.name
            : askForName(QStringLiteral("This permanently deletes %1: %2.\nType its name to confirm, \"%3\":")
                             .arg(entry.id, what, entry.name));
    if (typed != entry.name.toStdString())
        return refused("nothing was deleted: the name of " + options.run + " was not confirmed",
                       "--confirm \"" + entry.name.toStdString() + "\"");
    if (options.hosts)
        TRAINYARD_TRY_STATUS(removeFromHosts(entry));
    return history->store().removeRun(entry.id);
}

Result<RunSpec> specOf(History& history, const std::string& runId)
{
    TRAINYARD_TRY(const OpenRun* run, history.read(runId));
    if (!run->facts().spec)
        return badInput(runId + " has no specification: it was imported");
    return *run->facts().spec;
}

Status writeSpec(const HistoryOptions& options)
{
    TRAINYARD_TRY_STATUS(checkOutputFile("--out", options.out));
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const RunSpec spec, specOf(*history, options.run));
    return writeOutputFile(options.out.empty() ? "-" : options.out, toJson(spec));
}

Result<int> relaunch(const HistoryOptions& options)
{
    TRAINYARD_TRY(const auto history, History::open());
    TRAINYARD_TRY(const auto spec, specOf(*history, options.run));
    Desk desk;
    TRAINYARD_TRY(const auto run, desk.finish(desk.runs().launch(spec)));
    console::print(run);
    return options.follow ? followRun(desk, run) : 0;
}

void printDifferences(const TextTable& table, bool json)
{
    if (!json)
        return console::print(table.rows.isEmpty()
                                  ? QStringLiteral("The specifications are equal.")
                                  : console::table(QList<QStringList>{table.columns} + table.rows));
    QJsonArray fields;
    for (const QStringList& row : table.rows)
        fields << QJsonObject{{"field", row.first()}, {"values", QJsonArray::fromStringList(row.mid(1))}};
    console::print(QJsonDocument(
        QJsonObject{{"runs", QJsonArray::fromStringList(table.columns.mid(1))}, {"differences", fields}}));
}

Status diff(const HistoryOptions& options)
{
    TRAINYARD_TRY(const auto history, History::open());
    QList<const OpenRun*> runs;
    for (const std::string& id : options.runs) {
        TRAINYARD_TRY(const OpenRun* run, history->read(id));
        runs.append(run);
    }
    printDifferences(specificationDifferences(runs), options.json);
    return {};
}

using SharedOptions = std::shared_ptr<HistoryOptions>;

void addList(CLI::App& runs, CommandOutcome& outcome, const SharedOptions& o)
{
    runs.add_option("--search", o->list.search, "Only matching runs; see below");
    runs.add_flag("--recorded", o->list.recorded, "Show runs as last recorded here, without asking hosts");
    CLI::Option* json = addJsonFlag(runs, o->list.json);
    runs.add_flag("--csv", o->list.csv, "Print the latest values of each run as CSV")->excludes(json);
    runs.footer("TEXT of --search:\n" + RunQuery::help().toStdString() +
                "\n  trainyard runs --search \"tag:paper loss<2.5 -state:failed\" --json\n  trainyard runs "
                "--search tag:paper --csv > paper.csv\n\nALERTS lists problems of runs that have not ended, "
                "from the records on this computer: \"✕\" ruins the\ntraining, \"▲\" deserves a look. "
                "`trainyard attach RUN` fetches the newest records and prints alerts as they occur.");
    CLI::App* self = &runs;
    runs.final_callback([&outcome, o, self] {
        if (self->get_subcommands().empty())
            outcome.status = console::exitWith(printRuns(o->list));
    });
}

void addKeeping(CLI::App& runs, CommandOutcome& outcome, const SharedOptions& o)
{
    CLI::App* command =
        runs.add_subcommand("tag", "Add tags to a run: trainyard runs tag RUN paper baseline");
    addRunOption(*command, o->run);
    command->add_option("TAG", o->tags, "Tags to add; existing ones are kept")->required();
    command->add_flag("--remove", o->undo, "Remove these tags");
    command->callback([&outcome, o] { outcome.status = console::exitWith(changeTags(*o)); });

    command =
        runs.add_subcommand("note", "Write a run's notes: trainyard runs note RUN \"warm-up was too short\"");
    addRunOption(*command, o->run);
    command->add_option("TEXT", o->text, "The notes; they replace earlier ones")->required();
    command->callback([&outcome, o] { outcome.status = console::exitWith(changeNotes(*o)); });

    command =
        runs.add_subcommand("archive", "Hide runs from the list; `runs --search is:archived` shows them");
    command->add_option("RUN", o->runs, "Run ids")->required();
    command->add_flag("--undo", o->undo, "Put them back on the list");
    command->callback([&outcome, o] { outcome.status = console::exitWith(changeArchive(*o)); });

    command = runs.add_subcommand("delete", "Delete a run that has ended; its name must be typed");
    addRunOption(*command, o->run);
    command->add_flag("--hosts", o->hosts, "Also delete its folder on the hosts, with every checkpoint");
    command->add_option("--confirm", o->name, "The run's name, to confirm without a question");
    command->callback([&outcome, o] { outcome.status = console::exitWith(deleteRun(*o)); });

    command = runs.add_subcommand("spec", "Write a run's specification, to edit and launch");
    addRunOption(*command, o->run);
    addOutOption(*command, o->out);
    command->callback([&outcome, o] { outcome.status = console::exitWith(writeSpec(*o)); });
}

} // namespace

void addHistoryCommands(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<HistoryOptions>();
    CLI::App* runs = app.add_subcommand("runs", "List, search, tag, annotate, archive and delete runs");
    addList(*runs, outcome, o);
    addKeeping(*runs, outcome, o);

    CLI::App* command = app.add_subcommand("relaunch", "Launch a run again, unchanged; prints the new id");
    addRunOption(*command, o->run);
    addFollowFlag(*command, o->follow);
    command->callback([&outcome, o] { outcome.status = console::exitWith(relaunch(*o)); });

    command = app.add_subcommand("diff", "Show spec differences between runs");
    command->add_option("RUN", o->runs, "Run ids, at least two")->required()->expected(2, -1);
    addJsonFlag(*command, o->json);
    command->callback([&outcome, o] { outcome.status = console::exitWith(diff(*o)); });
}

} // namespace trainyard
