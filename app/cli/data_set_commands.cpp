#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/cli/commands.h"
#include "app/cli/support/awaited.h"
#include "app/cli/support/confirm_removal.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/hosts/model/host_entry.h"
#include "app/hosts/model/host_store.h"
#include "engine/base/units.h"
#include "remote/data/data_send.h"
#include "remote/data/data_set_fetch.h"
#include "remote/data/data_set_list.h"
#include "remote/deploy/deploy_progress.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

QString bytesText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

QStringList eachOnce(const std::vector<std::string>& names)
{
    QStringList hosts;
    for (const std::string& name : names)
        hosts << QString::fromStdString(name);
    hosts.removeDuplicates();
    return hosts;
}

/// A folder of this computer, or "HOST:/folder".
DataPlace placeOf(const std::string& text)
{
    const QString place = QString::fromStdString(text);
    const qsizetype at = place.indexOf(":/");
    if (at > 0 && !place.left(at).contains('/'))
        return {place.left(at), place.mid(at + 1)};
    return {{}, QDir(place).absolutePath()};
}

Status sendData(const std::string& from, const std::vector<std::string>& hosts)
{
    Desk desk;
    const QStringList names = eachOnce(hosts);
    DataSend send(placeOf(from), names, desk.targets());
    QObject::connect(&send, &DataSend::noticed, &send, [](const QString& text) { console::note(text); });
    TRAINYARD_TRY_STATUS(console::await<Status>(send));
    for (int host = 0; host < names.size(); ++host)
        console::print(names[host] + ':' + send.folderOn(host));
    return {};
}

/// Shows size, rate and time left; Ctrl+C leaves nothing here.
Status awaitFetch(FolderFetch& fetch)
{
    console::Awaited<Status> answer;
    answer.onInterrupt([&] { answer.set(cancelled("fetching was cancelled; nothing is left here")); });
    QElapsedTimer clock;
    clock.start();
    TransferRate rate;
    QObject::connect(&fetch, &FolderFetch::progress, answer.context(), [&](qint64 bytes, qint64 total) {
        rate.add(std::chrono::milliseconds(clock.elapsed()), bytes);
        DeployProgress progress{.done = bytes, .total = total};
        progress.bytesPerSecond = rate.bytesPerSecond();
        progress.verb = "fetching";
        progress.what = "the data set";
        console::transient(progress.text());
    });
    QObject::connect(&fetch, &FolderFetch::finished, answer.context(),
                     [&](const Status& result) { answer.set(result); });
    fetch.start();
    return answer.wait();
}

Status fetchData(const std::string& name, const std::string& host, const std::string& out)
{
    Desk desk;
    const QString from = QString::fromStdString(host);
    TRAINYARD_TRY_STATUS(desk.reach(from));
    QString folder = QString::fromStdString(name);
    if (!folder.startsWith('/'))
        folder = desk.targets().target(from).agent()->root + "/data/" + folder;
    const std::string destination = out.empty() ? QDir(folder).dirName().toStdString() : out;
    DataSetFetch fetch({from, folder}, destination, desk.targets());
    TRAINYARD_TRY_STATUS(awaitFetch(fetch));
    console::print(QString::fromStdString(destination));
    return {};
}

Result<QList<HostDataSet>> dataSetsOn(Desk& desk, const QString& host)
{
    TRAINYARD_TRY_STATUS(desk.reach(host));
    console::Awaited<Result<QList<HostDataSet>>> answer;
    listDataSets(host, desk.targets(), answer.context(), answer.context(),
                 [&](const Result<QList<HostDataSet>>& sets) { answer.set(sets); });
    return answer.wait();
}

QJsonObject toJson(const HostDataSet& set)
{
    return {{"name", set.name},        {"id", set.id},
            {"folder", set.folder},    {"bytes", set.bytes},
            {"files", set.files},      {"age_s", qint64(set.age.count())},
            {"last_run", set.lastRun}, {"active_run", set.activeRun}};
}

Result<QStringList> listedHosts(const std::vector<std::string>& hosts)
{
    if (!hosts.empty())
        return eachOnce(hosts);
    TRAINYARD_TRY(QStringList all, loadHosts(dataDir() / "hosts.json"));
    all.prepend(thisMachine());
    return all;
}

QStringList rowOf(const QString& host, const HostDataSet& set)
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    return {host, set.name, bytesText(set.bytes),
            displayAge(now - std::chrono::milliseconds(set.age).count(), now),
            set.lastRun.isEmpty() ? "-" : set.lastRun + (set.activeRun.isEmpty() ? "" : " (active)")};
}

Result<int> listData(const std::vector<std::string>& hosts, bool json)
{
    TRAINYARD_TRY(const QStringList names, listedHosts(hosts));
    Desk desk;
    QList<QStringList> rows{{"host", "data set", "size", "sent", "last used by"}};
    QJsonArray all;
    int status = 0;
    for (const QString& host : names) {
        const auto sets = dataSetsOn(desk, host);
        if (!sets.ok()) {
            status = console::fail(sets.error());
            all << QJsonObject{{"host", host},
                               {"data_sets", QJsonArray()},
                               {"error", QString::fromStdString(sets.error().text())}};
            continue;
        }
        QJsonArray array;
        for (const HostDataSet& set : *sets) {
            rows << rowOf(host, set);
            array << toJson(set);
        }
        all << QJsonObject{{"host", host}, {"data_sets", array}};
    }
    if (json)
        console::print(QJsonDocument(QJsonObject{{"hosts", all}}));
    else if (rows.size() > 1)
        console::print(console::table(rows));
    else if (status == 0)
        console::print("no data sets were sent to " + names.join(", "));
    return status;
}

Result<qint64> removeDataFrom(Desk& desk, const QString& host, const QString& name)
{
    TRAINYARD_TRY_STATUS(desk.reach(host));
    console::Awaited<Result<qint64>> answer;
    removeDataSet(host, name, desk.targets(), answer.context(), answer.context(),
                  [&](const Result<qint64>& freed) { answer.set(freed); });
    return answer.wait();
}

Result<int> removeData(const std::string& name, const std::vector<std::string>& hosts, bool confirmed)
{
    const QStringList names = eachOnce(hosts);
    const QString dataSet = QString::fromStdString(name);
    if (!confirmed)
        TRAINYARD_TRY_STATUS(confirmRemoval(dataSet + " from " + names.join(", ")));
    Desk desk;
    int status = 0;
    for (const QString& host : names) {
        const auto freed = removeDataFrom(desk, host, dataSet);
        if (freed.ok())
            console::print(QString("%1: removed %2, %3 freed").arg(host, dataSet, bytesText(*freed)));
        else
            status = console::fail(freed.error());
    }
    return status;
}

struct DataSetOptions {
    std::string place;
    std::string host;
    std::string out;
    std::vector<std::string> hosts;
    bool json = false;
    bool yes = false;
};

void addSendAndFetch(CLI::App& data, CommandOutcome& outcome, const std::shared_ptr<DataSetOptions>& o)
{
    CLI::App* command = data.add_subcommand(
        "send",
        "Send a data set to hosts: once from this computer, then from host to host. What a host has is not "
        "sent again; prints the folders");
    command->add_option("DIR", o->place, "Folder of the data set, or HOST:/folder of one on a host")
        ->required();
    command->add_option("--host", o->hosts, "Host to send it to; may be given several times")->required();
    command->callback([&outcome, o] { outcome.status = console::exitWith(sendData(o->place, o->hosts)); });

    command =
        data.add_subcommand("fetch", "Bring a data set from a host to this computer, and check its hashes");
    command->add_option("DATASET", o->place, "Name in `trainyard data list`, or a folder of the host")
        ->required();
    command->add_option("--host", o->host, "Host that has it")->required();
    command->add_option("-o,--out", o->out, "Folder to write (default: its name, in the working folder)");
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(fetchData(o->place, o->host, o->out)); });
}

void addListAndRemove(CLI::App& data, CommandOutcome& outcome, const std::shared_ptr<DataSetOptions>& o)
{
    CLI::App* command = data.add_subcommand(
        "list", "List the data sets that were sent to hosts, and the run that used each last");
    command->add_option("--host", o->hosts, "Only this host (default: all in `trainyard hosts list`)");
    addJsonFlag(*command, o->json);
    command->callback([&outcome, o] { outcome.status = console::exitWith(listData(o->hosts, o->json)); });

    command =
        data.add_subcommand("remove", "Remove a data set that was sent to hosts; not while a run reads it");
    command->add_option("DATASET", o->place, "Name in `trainyard data list`")->required();
    command->add_option("--host", o->hosts, "Host to remove it from; may be given several times")->required();
    command->add_flag("--yes", o->yes, "Do not ask");
    command->callback(
        [&outcome, o] { outcome.status = console::exitWith(removeData(o->place, o->hosts, o->yes)); });
}

} // namespace

void addDataSetCommands(CLI::App& app, CommandOutcome& outcome)
{
    auto o = std::make_shared<DataSetOptions>();
    CLI::App* data = app.add_subcommand("data", "Send data sets to hosts; list, fetch and remove them there");
    data->require_subcommand(1);
    addSendAndFetch(*data, outcome, o);
    addListAndRemove(*data, outcome, o);
}

} // namespace trainyard
