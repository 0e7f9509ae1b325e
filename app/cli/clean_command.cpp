#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "engine/base/units.h"

namespace trainyard {

namespace {

using std::chrono::seconds;

QString sizeText(const QJsonValue& bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes.toInteger())));
}

Result<QJsonObject> ask(Desk& desk, const QString& host, bool dryRun)
{
    TRAINYARD_TRY_STATUS(desk.reach(host));
    console::Awaited<Result<QJsonObject>> answer;
    answer.onInterrupt(
        [&] { answer.set(cancelled("interrupted; some files may have been removed already")); });
    desk.targets().target(host).call({{"op", "clean"}, {"dry_run", dryRun}}, answer.context(),
                                     [&](const Result<QJsonObject>& result) { answer.set(result); });
    console::transient("checking " + host);
    return answer.wait();
}

void print(const QString& host, const QJsonObject& answer, bool dryRun)
{
    QList<QStringList> rows{{"old", "size", "unused for"}};
    for (const auto& value : answer.value("leftovers").toArray()) {
        const QJsonObject leftover = value.toObject();
        const auto age = seconds(leftover.value("age_s").toInteger());
        rows << QStringList{leftover.value("name").toString(), sizeText(leftover.value("bytes")),
                            displayCounted(std::chrono::floor<std::chrono::days>(age).count(), "day")};
    }
    for (const auto& value : answer.value("kept").toArray()) {
        const QJsonObject kept = value.toObject();
        console::note(
            QString("%1: kept bundle %2: %3")
                .arg(host, kept.value("bundle").toString().left(12), kept.value("reason").toString()));
    }
    if (rows.size() == 1)
        return console::print(host + ": nothing to remove");
    console::print(console::table(rows));
    console::print(dryRun ? host + ": nothing was removed (--dry-run)"
                          : QString("%1: %2 freed").arg(host, sizeText(answer.value("freed"))));
}

int clean(const std::vector<std::string>& hosts, bool dryRun, bool json)
{
    Desk desk;
    QJsonObject all;
    int status = 0;
    for (const std::string& name : hosts) {
        const QString host = QString::fromStdString(name);
        const auto answer = ask(desk, host, dryRun);
        if (!answer.ok())
            status = console::fail(answer.error());
        else if (json)
            all.insert(host, *answer);
        else
            print(host, *answer, dryRun);
    }
    if (json)
        console::print(QJsonDocument(all));
    return status;
}

} // namespace

void addCleanCommand(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::vector<std::string> hosts;
        bool dryRun = false;
        bool json = false;
    };
    auto o = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("clean", "Remove old engines and agents from hosts: unused for 30 days and needed "
                                    "by no run there; also incomplete uploads");
    command->add_option("--host", o->hosts, "Host to clean; may be given several times")->required();
    command->add_flag("--dry-run", o->dryRun, "Only show what would be removed");
    addJsonFlag(*command, o->json);
    command->callback([&outcome, o] { outcome.status = clean(o->hosts, o->dryRun, o->json); });
}

} // namespace trainyard
