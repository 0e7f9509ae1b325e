#include <QEventLoop>
#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/desk.h"
#include "app/models/host_entry.h"
#include "app/models/host_store.h"
#include "remote/target/desk_folders.h"
#include "remote/target/host_check.h"

namespace trainyard {

namespace {

std::filesystem::path hostFile()
{
    return deskDataFolder() / "hosts.json";
}

Result<QStringList> allHosts()
{
    TRAINYARD_TRY(QStringList hosts, loadHosts(hostFile()));
    hosts.prepend(thisMachine());
    return hosts;
}

QString wordFor(Verdict verdict)
{
    return verdict == Verdict::Ok ? "ok" : verdict == Verdict::Warn ? "warning" : "FAIL";
}

HostReport check(Desk& desk, const QString& host)
{
    HostReport result;
    QEventLoop loop;
    HostCheck check(desk.targets().target(host));
    QObject::connect(&check, &HostCheck::finished, &loop, [&](const HostReport& report) {
        result = report;
        loop.quit();
    });
    console::transient("checking " + host);
    check.start();
    loop.exec();
    console::transient("");
    return result;
}

QJsonObject toJson(const HostReport& report)
{
    QJsonArray rows;
    for (const CheckRow& row : report.rows)
        rows << QJsonObject{{"check", row.check},
                            {"found", row.found},
                            {"verdict", wordFor(row.verdict).toLower()},
                            {"fix", row.fix}};
    return {{"host", report.host}, {"verdict", wordFor(report.worst()).toLower()}, {"checks", rows}};
}

void printReport(const HostReport& report)
{
    QList<QStringList> rows{{"check", "found", "verdict", "fix"}};
    for (const CheckRow& row : report.rows)
        rows << QStringList{row.check, console::harmless(row.found), wordFor(row.verdict), row.fix};
    console::print(report.host);
    console::print(console::table(rows));
}

int checkHosts(const std::vector<std::string>& names, bool json)
{
    QStringList hosts;
    for (const std::string& name : names)
        hosts << QString::fromStdString(name);
    if (hosts.isEmpty()) {
        const auto known = allHosts();
        if (!known.ok())
            return console::fail(known.error());
        hosts = *known;
    }
    Desk desk;
    QJsonArray array;
    bool failed = false;
    for (const QString& host : hosts) {
        const HostReport report = check(desk, host);
        failed = failed || report.worst() == Verdict::Fail;
        if (json)
            array << toJson(report);
        else
            printReport(report);
    }
    if (json)
        console::print(QJsonDocument(array));
    return failed ? exitStatus(ErrorKind::Unreachable) : 0;
}

int addHost(const QString& name)
{
    auto hosts = loadHosts(hostFile());
    if (!hosts.ok())
        return console::fail(hosts.error());
    if (name == thisMachine() || hosts->contains(name))
        return console::fail(
            badInput(name.toStdString() + " is in the list already", "`trainyard hosts list` shows it"));
    const int status = checkHosts({name.toStdString()}, false);
    if (status != 0)
        return status;
    hosts->append(name);
    const Status saved = saveHosts(hostFile(), *hosts);
    return saved.ok() ? 0 : console::fail(saved.error());
}

int listHosts(bool json)
{
    const auto hosts = allHosts();
    if (!hosts.ok())
        return console::fail(hosts.error());
    if (json)
        console::print(QJsonDocument(QJsonArray::fromStringList(*hosts)));
    else
        console::print(hosts->join('\n'));
    return 0;
}

} // namespace

void addHostCommands(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::vector<std::string> hosts;
        std::string host;
        bool json = false;
    };
    auto o = std::make_shared<Options>();
    CLI::App* hosts = app.add_subcommand("hosts", "Machines that runs may use");
    hosts->require_subcommand(1);

    CLI::App* command = hosts->add_subcommand("add", "Check a host and remember it");
    command->add_option("HOST", o->host, "Name as given to ssh")->required();
    command->callback([&outcome, o] { outcome.status = addHost(QString::fromStdString(o->host)); });

    command = hosts->add_subcommand("list", "The hosts of this desk");
    command->add_flag("--json", o->json, "One JSON document on standard output");
    command->callback([&outcome, o] { outcome.status = listHosts(o->json); });

    command = hosts->add_subcommand("check", "Preflight: what each host has, what is wrong, and the fix");
    command->add_option("HOST", o->hosts, "Hosts to check (default: all)");
    command->add_flag("--json", o->json, "One JSON document on standard output");
    command->callback([&outcome, o] { outcome.status = checkHosts(o->hosts, o->json); });
}

} // namespace trainyard
