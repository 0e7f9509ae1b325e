#include <algorithm>
#include <map>

#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/confirm_removal.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

using std::chrono::seconds;

constexpr qsizetype kHashShown = 12;

QString sizeText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

struct CleanOptions {
    std::vector<std::string> hosts;
    bool all = false;
    bool yes = false;
    bool dryRun = false;
    bool json = false;
};

Result<QJsonObject> ask(Desk& desk, const QString& host, const CleanOptions& options)
{
    TRAINYARD_TRY_STATUS(desk.reach(host));
    console::Awaited<Result<QJsonObject>> answer;
    answer.onInterrupt(
        [&] { answer.set(cancelled("interrupted; some files may have been removed already")); });
    desk.targets().target(host).call({{"op", "clean"}, {"dry_run", options.dryRun}, {"all", options.all}},
                                     answer.context(),
                                     [&](const Result<QJsonObject>& result) { answer.set(result); });
    console::transient("checking " + host);
    return answer.wait();
}

void printKept(const QString& host, const QJsonObject& answer)
{
    for (const auto& value : answer.value("kept").toArray()) {
        const QJsonObject kept = value.toObject();
        console::note(QString("%1: kept bundle %2: %3")
                          .arg(host, kept.value("bundle").toString().left(kHashShown),
                               kept.value("reason").toString()));
    }
}

/// A row for each engine and agent, "bundles/27cb48f062d9", and one for the many files of a kind,
/// "263 files in cas".
class RemovedRows {
public:
    void add(const QJsonObject& leftover)
    {
        const QString name = leftover.value("name").toString();
        const auto age = seconds(leftover.value("age_s").toInteger());
        const QString folder = name.section('/', 0, 0);
        const bool isAlone = folder == QLatin1String("bundles") || folder == QLatin1String("agents");
        Row& row = m_rows[isAlone ? shortened(name) : folder];
        row.youngest = row.files == 0 ? age : std::min(row.youngest, age);
        row.files += isAlone ? 0 : 1;
        row.bytes += leftover.value("bytes").toInteger();
    }
    QList<QStringList> table() const
    {
        QList<QStringList> rows{{"what", "size", "unused for"}};
        for (const auto& [name, row] : m_rows) {
            const auto days = std::chrono::floor<std::chrono::days>(row.youngest).count();
            const QString files = displayCounted(row.files, "file") + " in " + name;
            rows << QStringList{row.files == 0 ? name : files, sizeText(row.bytes),
                                displayCounted(days, "day")};
        }
        return rows;
    }

private:
    struct Row {
        qint64 files = 0; ///< 0: one folder
        qint64 bytes = 0;
        seconds youngest{};
    };

    /// "bundles/27cb48f062d9071c…" -> "bundles/27cb48f062d9"
    static QString shortened(const QString& name)
    {
        return name.section('/', 0, 0) + '/' + name.section('/', 1, 1).left(kHashShown);
    }

    std::map<QString, Row> m_rows;
};

void printRemoved(const QString& host, const QJsonObject& answer, bool dryRun)
{
    const QJsonArray leftovers = answer.value("leftovers").toArray();
    if (leftovers.isEmpty())
        return console::print(host + ": nothing to remove");
    RemovedRows rows;
    for (const auto& leftover : leftovers)
        rows.add(leftover.toObject());
    console::print(console::table(rows.table()));
    console::print(dryRun ? host + ": nothing was removed (--dry-run)"
                          : QString("%1: %2 freed").arg(host, sizeText(answer.value("freed").toInteger())));
}

QStringList namesOf(const QJsonObject& answer, const QString& kind)
{
    QStringList names;
    for (const auto& value : answer.value("remains").toArray()) {
        if (value.toObject().value("kind").toString() == kind)
            names << value.toObject().value("name").toString();
    }
    return names;
}

/// What remains after `--all`, and how it goes.
void printRemains(const QString& host, const QJsonObject& answer, bool dryRun)
{
    for (const QString& run : namesOf(answer, "run"))
        console::print(
            QString("%1: kept the run %2: `trainyard runs delete %2 --hosts` removes it").arg(host, run));
    for (const QString& set : namesOf(answer, "data-set"))
        console::print(QString("%1: kept the data set %2: `trainyard data remove %2 --host %1` removes it")
                           .arg(host, set));
    for (const QString& agent : namesOf(answer, "agent"))
        console::print(QString("%1: kept %2: another window or command is connected; end it and repeat this")
                           .arg(host, agent));
    for (const QString& error : namesOf(answer, "boot-hook"))
        console::print(QString("%1: the line for a reboot is still in the crontab: %2").arg(host, error));
    for (const QString& other : namesOf(answer, "other"))
        console::print(QString("%1: kept %2: not made by Trainyard, or stored since").arg(host, other));
    if (answer.value("remains").isArray() && answer.value("remains").toArray().isEmpty())
        console::print(QString(dryRun ? "%1: nothing of Trainyard would be left on %1"
                                      : "%1: nothing of Trainyard is left on %1")
                           .arg(host));
}

Result<int> clean(const CleanOptions& options)
{
    QStringList hosts;
    for (const std::string& name : options.hosts)
        hosts << QString::fromStdString(name);
    if (options.all && !options.dryRun && !options.yes)
        TRAINYARD_TRY_STATUS(confirmRemoval("everything of Trainyard but runs and data sets from " +
                                            hosts.join(QStringLiteral(", "))));
    Desk desk;
    QJsonObject answers;
    int status = 0;
    for (const QString& host : hosts) {
        const auto answer = ask(desk, host, options);
        if (!answer.ok()) {
            status = console::fail(answer.error());
            continue;
        }
        if (options.all && !options.dryRun)
            desk.targets().target(host).close(); // or it would store the agent again when the link breaks
        answers.insert(host, *answer);
        if (options.json)
            continue;
        printKept(host, *answer);
        printRemoved(host, *answer, options.dryRun);
        if (options.all)
            printRemains(host, *answer, options.dryRun);
    }
    if (options.json)
        console::print(QJsonDocument(answers));
    return status;
}

} // namespace

void addCleanCommand(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<CleanOptions>();
    CLI::App* command =
        app.add_subcommand("clean", "Remove old engines and agents from hosts: unused for 30 days and needed "
                                    "by no run there; also incomplete uploads");
    command->add_option("--host", o->hosts, "Host to clean; may be given several times")->required();
    command->add_flag("--all", o->all,
                      "Remove everything of Trainyard there, whenever it was used, but runs and data sets; "
                      "not while a run is active");
    command->add_flag("--yes", o->yes, "Do not ask before --all");
    command->add_flag("--dry-run", o->dryRun, "Only show what would be removed");
    addJsonFlag(*command, o->json);
    command->callback([&outcome, o] { outcome.status = console::exitWith(clean(*o)); });
}

} // namespace trainyard
