#include <optional>

#include <QJsonArray>
#include <QJsonObject>

#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/remove_old_key.h"
#include "app/hosts/model/host_entry.h"
#include "app/hosts/model/host_store.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/launch_rules.h"
#include "remote/preflight/report_json.h"
#include "remote/ssh/host_name.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

std::filesystem::path hostFile()
{
    return dataDir() / "hosts.json";
}

Result<QStringList> allHosts()
{
    TRAINYARD_TRY(QStringList hosts, loadHosts(hostFile()));
    hosts.prepend(thisMachine());
    return hosts;
}

Status checkNames(const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        if (const auto host = ssh::parseHostName(name); !host.ok())
            return host.error().in("\"" + name + "\" is not a host");
    }
    return {};
}

/// Runs a preflight to its end; Ctrl+C ends it sooner, and nothing comes back then.
std::optional<PreflightReport> look(const QStringList& hosts, const PreflightOptions& options,
                                    Desk::NewKeys newKeys)
{
    Desk desk({}, newKeys);
    Preflight preflight(hosts, desk.targets(), options);
    console::Awaited<std::optional<PreflightReport>> answer;
    answer.onInterrupt([&answer] { answer.set(std::nullopt); });
    QObject::connect(&preflight, &Preflight::progress, answer.context(),
                     [](const QString& text) { console::transient(text); });
    QObject::connect(&preflight, &Preflight::finished, answer.context(),
                     [&answer](const PreflightReport& report) { answer.set(report); });
    preflight.start();
    return answer.wait();
}

QString wordFor(Verdict verdict)
{
    return verdict == Verdict::Fail ? "FAIL" : nameOf(verdict);
}

void printRows(const HostReport& report)
{
    QList<QStringList> rows{{"check", "found", "verdict", "fix"}};
    for (const CheckRow& row : report.rows)
        rows << QStringList{row.check, row.found, wordFor(row.verdict), row.fix};
    console::print(report.host);
    console::print(console::table(rows));
}

/// Every pair that is not fine and every link that was measured; the others as a number.
void printLinks(const PreflightReport& report)
{
    QList<QStringList> rows{{"link", "found", "verdict", "fix"}};
    int fine = 0;
    for (const HostReport& host : report.hosts) {
        for (const LinkRow& link : host.links) {
            const bool ssh = link.way == LinkRow::Way::Ssh;
            if (link.verdict == Verdict::Ok && link.bytesPerSecond == 0) {
                ++fine;
                continue;
            }
            rows << QStringList{QString("%1 -> %2%3").arg(link.from, link.to, ssh ? ", ssh" : ""), link.found,
                                wordFor(link.verdict), link.fix};
        }
    }
    if (rows.size() == 1 && fine == 0)
        return;
    console::print("links");
    if (rows.size() > 1)
        console::print(console::table(rows));
    if (fine > 0)
        console::print(fine == 1 ? QString("1 other is OK") : QString("%1 others are OK").arg(fine));
}

void print(const PreflightReport& report, bool json)
{
    QJsonArray array;
    for (const HostReport& host : report.hosts) {
        if (json)
            array << toJson(host);
        else
            printRows(host);
    }
    if (json)
        console::print(QJsonDocument(array));
    else
        printLinks(report);
}

/// As a launch with these values of launch.network and launch.ports checks the links.
Result<NetworkChoice> networkIn(const std::string& network, const std::string& ports)
{
    NetworkChoice choice{QString::fromStdString(network), 0, 0};
    if (ports.empty())
        return choice;
    const auto range = portRangeIn(ports);
    if (!range)
        return badInput("--ports: \"" + ports + "\" is not a range of ports", "write it as 20000-20063");
    choice.firstPort = range->first;
    choice.lastPort = range->last;
    return choice;
}

Result<int> checkHosts(const std::vector<std::string>& names, const PreflightOptions& options, bool json,
                       Desk::NewKeys newKeys)
{
    TRAINYARD_TRY_STATUS(checkNames(names));
    QStringList hosts;
    for (const std::string& name : names)
        hosts << QString::fromStdString(name);
    if (hosts.isEmpty()) {
        TRAINYARD_TRY(hosts, allHosts());
    }
    if (options.links)
        hosts.removeAll(thisMachine()); // no other host reaches it by that name
    const auto report = look(hosts, options, newKeys);
    if (!report)
        return cancelled("the check was interrupted");
    print(*report, json);
    return report->worst() == Verdict::Fail ? exitStatus(ErrorKind::Unreachable) : 0;
}

Result<int> addHost(const QString& name, Desk::NewKeys newKeys)
{
    TRAINYARD_TRY(auto hosts, loadHosts(hostFile()));
    if (name == thisMachine() || hosts.contains(name))
        return badInput(name.toStdString() + " is already in the list", "`trainyard hosts list` shows it");
    PreflightOptions alone;
    alone.links = false;
    TRAINYARD_TRY(const int status, checkHosts({name.toStdString()}, alone, false, newKeys));
    if (status == exitStatus(ErrorKind::Unreachable)) {
        console::note(name + " was not added to the list: see the fix above");
        return status;
    }
    if (status != 0)
        return status;
    hosts.append(name);
    TRAINYARD_TRY_STATUS(saveHosts(hostFile(), hosts));
    return 0;
}

/// What lies on the host stays: runs there go on and keep their records.
Status removeHost(const QString& name)
{
    if (name == thisMachine())
        return badInput(name.toStdString() + " is this machine, which is always in the list");
    TRAINYARD_TRY(QStringList hosts, loadHosts(hostFile()));
    if (hosts.removeAll(name) == 0) {
        std::vector<std::string> known;
        for (const QString& host : hosts)
            known.push_back(host.toStdString());
        const std::string nearest = nearestName(name.toStdString(), known);
        return badInput(name.toStdString() + " is not in the list", nearest.empty()
                                                                        ? "`trainyard hosts list` shows it"
                                                                        : "did you mean " + nearest + "?");
    }
    return saveHosts(hostFile(), hosts);
}

Status listHosts(bool json)
{
    TRAINYARD_TRY(const auto hosts, allHosts());
    if (json)
        console::print(QJsonDocument(QJsonArray::fromStringList(hosts)));
    else
        console::print(hosts.join('\n'));
    return {};
}

} // namespace

void addHostCommands(CLI::App& app, CommandOutcome& outcome)
{
    struct Options {
        std::vector<std::string> hosts;
        std::string host;
        std::string network;
        std::string ports;
        bool links = false;
        bool json = false;
        bool acceptNew = false;

        Desk::NewKeys newKeys() const { return acceptNew ? Desk::NewKeys::Accept : Desk::NewKeys::Ask; }
    };
    const char* acceptNew =
        "Trust the key of an unknown host without asking (a changed key is still refused)";
    auto o = std::make_shared<Options>();
    CLI::App* hosts = app.add_subcommand("hosts", "Manage the hosts that runs can use");
    hosts->require_subcommand(1);

    CLI::App* command = hosts->add_subcommand("add", "Check a host and add it to the list");
    command
        ->add_option("HOST", o->host, "Name as passed to ssh: alias, user@host, host:port or [address]:port")
        ->required();
    command->add_flag("--accept-new", o->acceptNew, acceptNew);
    command->callback([&outcome, o] {
        outcome.status = console::exitWith(addHost(QString::fromStdString(o->host), o->newKeys()));
    });

    command = hosts->add_subcommand("list", "List the hosts");
    addJsonFlag(*command, o->json);
    command->callback([&outcome, o] { outcome.status = console::exitWith(listHosts(o->json)); });

    command =
        hosts->add_subcommand("check", "Run a preflight: what each host has, what is wrong, and the fix");
    command->add_option("HOST", o->hosts, "Hosts to check (default: all)");
    command->add_flag("--links", o->links,
                      "Also check whether they can form one cluster: names, versions, ssh from the first "
                      "host to the others, and TCP between each pair, with its speed");
    command->add_option("--network", o->network,
                        "Try the links on this network alone, e.g. 10.1.0.0/16 or eth1");
    command->add_option("--ports", o->ports, "Try the links with these TCP ports alone, e.g. 20000-20063");
    addJsonFlag(*command, o->json);
    command->add_flag("--accept-new", o->acceptNew, acceptNew);
    command->callback([&outcome, o] {
        outcome.status = console::exitWith([&]() -> Result<int> {
            PreflightOptions options;
            options.links = o->links || !o->network.empty() || !o->ports.empty();
            TRAINYARD_TRY(options.network, networkIn(o->network, o->ports));
            return checkHosts(o->hosts, options, o->json, o->newKeys());
        }());
    });

    command = hosts->add_subcommand("remove", "Remove a host from the list; files on it are kept");
    command->add_option("HOST", o->host, "Name shown by `trainyard hosts list`")->required();
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(removeHost(QString::fromStdString(o->host))); });

    command =
        hosts->add_subcommand("remove-old-key", "Remove the known key of a host that now presents another "
                                                "one, after asking for its name on the terminal");
    command->add_option("HOST", o->host, "Name as passed to ssh")->required();
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(removeOldKey(QString::fromStdString(o->host))); });
}

} // namespace trainyard
