#include "remote/data/data_send.h"

#include <utility>

#include <QDir>
#include <QJsonArray>

namespace trainyard {

DataSend::DataSend(DataPlace from, const QStringList& to, TargetPool& targets, QObject* parent)
    : QObject(parent), m_from(std::move(from)), m_hosts(to, targets), m_targets(targets)
{
    if (!m_from.isHere() && to.contains(m_from.host))
        m_present.insert(m_from.host, m_from.folder);
    if (!m_from.isHere() && m_targets.target(m_from.host).isLocal())
        m_from.host.clear(); // this computer by another name
}

DataSend::~DataSend() = default;

QString DataSend::what() const
{
    return "the data set " + QDir(m_from.folder).dirName();
}

QString DataSend::folderOn(int index) const
{
    const auto agent = m_hosts.target(index).agent();
    const std::string name = dataSetFolderName(QDir(m_from.folder).dirName().toStdString(), m_content.id);
    return (agent ? agent->root : QString()) + "/data/" + QString::fromStdString(name);
}

void DataSend::start()
{
    emit progress("reading " + what(), -1);
    readContent(m_from, m_targets, this,
                [this](const Result<DataSetContent>& content) { onContent(content); });
}

void DataSend::onContent(const Result<DataSetContent>& content)
{
    if (!content.ok())
        return finish(content.error());
    m_content = *content;
    if (const Status able = checkReceivers(); !able.ok())
        return finish(able);
    emit progress("connecting to " + m_hosts.hosts().join(", "), -1);
    m_hosts.whenReady([this](const Status& ready) { ready.ok() ? adopt() : finish(ready); });
}

/// Hosts have no name for this machine.
Status DataSend::checkReceivers() const
{
    for (Target* target : m_hosts.targets()) {
        if (target->isLocal() && !m_from.isHere())
            return badInput(m_from.host.toStdString() + " cannot send to this computer (" +
                                target->host().toStdString() + ")",
                            "bring the data set here with `trainyard data fetch`");
    }
    return {};
}

/// Disk for disk at the same time.
void DataSend::adopt()
{
    if (m_ended || m_present.isEmpty())
        return findWays();
    m_adoptions.resize(static_cast<std::size_t>(m_present.size()));
    m_adopting = static_cast<int>(m_present.size());
    auto next = m_adoptions.begin();
    for (auto at = m_present.cbegin(); at != m_present.cend(); ++at, ++next) {
        Adoption& one = *next;
        one.work = std::make_unique<DataAdoption>(at.key(), at.value(), m_content, m_targets);
        connect(one.work.get(), &DataAdoption::progress, this, [this, &one](qint64 done, qint64 total) {
            one.done = done;
            one.total = total;
            showAdoption();
        });
        connect(one.work.get(), &DataAdoption::finished, this, &DataSend::onAdopted);
        one.work->start();
    }
}

void DataSend::showAdoption()
{
    qint64 done = 0, total = 0;
    for (const Adoption& one : m_adoptions) {
        done += one.done;
        total += one.total;
    }
    if (!m_ended && total > 0)
        emit progress("copying " + what() + " on " + QStringList(m_present.keys()).join(", "),
                      double(done) / double(total));
}

void DataSend::onAdopted(const Status& result)
{
    if (!result.ok())
        finish(result);
    else if (--m_adopting == 0)
        findWays();
}

void DataSend::findWays()
{
    if (m_ended)
        return;
    emit progress("finding which hosts reach each other", -1);
    findRoute(m_hosts, [this](const Route& route) { onRoute(route); });
}

void DataSend::onRoute(Route route)
{
    if (m_ended)
        return;
    if (m_from.isHere())
        tellWhoIsNotReached(route);
    else
        feedFromSource(route);
    m_deployer = std::make_unique<Deployer>(parcel(), m_hosts.targets(), Deployer::Options());
    m_deployer->setFeeds(route);
    connect(m_deployer.get(), &Deployer::noticed, this, &DataSend::noticed);
    connect(m_deployer.get(), &Deployer::advanced, this, [this](const DeployProgress& sent) {
        if (sent.total > 0)
            emit progress(sent.text(), sent.fraction());
    });
    connect(m_deployer.get(), &Deployer::finished, this, [this](const Status& result) {
        m_deployer.release()->deleteLater(); // we are in its signal
        finish(result);
    });
    m_deployer->start();
}

/// In place of this computer: the last one.
void DataSend::feedFromSource(Route& route)
{
    for (int host = 0; host < m_hosts.size(); ++host) {
        if (m_hosts.hosts()[host] == m_from.host)
            continue;
        QJsonObject request = pushTo(m_hosts.target(host));
        request.insert("folder", m_from.folder);
        route[static_cast<std::size_t>(host)].push_back({&m_targets.target(m_from.host), request, true});
    }
}

/// It takes this computer's link once more for each of them.
void DataSend::tellWhoIsNotReached(const Route& route)
{
    QStringList hosts;
    for (int host = 1; host < m_hosts.size(); ++host) {
        if (route[static_cast<std::size_t>(host)].empty() && !m_hosts.target(host).isLocal())
            hosts << m_hosts.hosts()[host];
    }
    if (!hosts.isEmpty())
        emit noticed(QString("No other host can log in to %1 by ssh: %2 goes there through this computer")
                         .arg(hosts.join(", "), what()));
}

Parcel DataSend::parcel() const
{
    Parcel parcel;
    parcel.what = what();
    parcel.isHere = m_from.isHere();
    parcel.roomHint =
        "free space there (`trainyard data list` shows data sets that are not needed any more), or "
        "set TRAINYARD_HOME on the host to a folder with enough space";
    QJsonArray files;
    for (const DataSetFile& file : m_content.files) {
        BundleEntry entry;
        entry.path = file.path;
        entry.sha256 = file.sha256;
        entry.size = file.bytes;
        entry.source = std::filesystem::path(QDir(m_from.folder).absolutePath().toStdString()) / file.path;
        parcel.files.push_back(std::move(entry));
        files << QJsonObject{{"path", QString::fromStdString(file.path)},
                             {"sha256", QString::fromStdString(file.sha256)}};
    }
    parcel.assembly = {{"op", "assemble-data"},
                       {"data_set", QString::fromStdString(m_content.id)},
                       {"name", folderOn(0).section('/', -1)},
                       {"files", files}};
    return parcel;
}

void DataSend::cancel()
{
    if (m_deployer)
        m_deployer->cancel();
    else
        finish(cancelled("sending " + what().toStdString() + " was cancelled"));
}

void DataSend::finish(const Status& result)
{
    for (Adoption& one : m_adoptions) {
        if (one.work)
            one.work.release()->deleteLater(); // we may be in its signal
    }
    if (!std::exchange(m_ended, true))
        QMetaObject::invokeMethod(
            this, [this, result] { emit finished(result); }, Qt::QueuedConnection);
}

} // namespace trainyard
