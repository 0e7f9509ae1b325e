#include "remote/launch/data_set_supply.h"

#include <algorithm>
#include <set>
#include <utility>

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

QByteArray idOf(const QByteArray& manifest)
{
    return QCryptographicHash::hash(manifest, QCryptographicHash::Sha256).toHex();
}

/// Each once, in the order in which they are read.
std::vector<std::string> pathsIn(const RunSpec& spec)
{
    std::vector<std::string> paths;
    const auto add = [&](const std::string& path) {
        if (std::ranges::find(paths, path) == paths.end())
            paths.push_back(path);
    };
    for (const DataSetOfPhase& set : dataSetsOf(spec))
        add(set.folder);
    for (const DataSetOfPhase& set : evaluatedDataSetsOf(spec))
        add(set.folder);
    return paths;
}

void renameIn(DatasetSpec& dataset, const std::string& from, const std::string& to)
{
    if (dataset.path == from)
        dataset.path = to;
    for (MixedDataSet& set : dataset.mix) {
        if (set.path == from)
            set.path = to;
    }
}

void renameIn(EvaluationSpec& evaluation, const std::string& from, const std::string& to)
{
    if (evaluation.dataset == from)
        evaluation.dataset = to;
}

/// As a shell takes it for one word.
QString shellWord(QString text)
{
    static const QRegularExpression plain("^[A-Za-z0-9_./:@%+=,-]+$");
    return plain.match(text).hasMatch() ? text : '\'' + text.replace('\'', "'\\''") + '\'';
}

QString sendCommand(const DataPlace& from, const QStringList& hosts)
{
    const QString place = from.isHere() ? from.folder : from.host + ':' + from.folder;
    return "`trainyard data send " + shellWord(place) + " --host " + hosts.join(" --host ") + '`';
}

bool isOnThisComputer(const std::string& path)
{
    const QString folder = QString::fromStdString(path);
    return QDir::isAbsolutePath(folder) && QFileInfo::exists(folder + "/manifest.json");
}

QString nameOfFolder(const std::string& path)
{
    return QDir(QString::fromStdString(path)).dirName();
}

} // namespace

Status compareManifests(const std::string& path, const QStringList& hosts,
                        const std::vector<Result<QByteArray>>& manifests)
{
    std::map<QByteArray, QStringList> versions;
    for (std::size_t host = 0; host < manifests.size(); ++host) {
        if (manifests[host].ok())
            versions[idOf(*manifests[host])] << hosts[static_cast<qsizetype>(host)];
    }
    if (versions.size() < 2)
        return {};
    QStringList parts;
    for (const auto& [id, owners] : versions)
        parts << owners.join(", ") + " (manifest " + QString::fromLatin1(id.left(12)) + ')';
    return refused(path + " is not the same data set on all hosts: " + parts.join("; ").toStdString(),
                   "remove the wrong one, or send the right one to all of them: `trainyard data send`");
}

void renameDataSet(RunSpec& spec, const std::string& from, const std::string& to)
{
    renameIn(spec.dataset, from, to);
    renameIn(spec.evaluation, from, to);
    for (PhaseSpec& phase : spec.phases) {
        renameIn(phase.dataset, from, to);
        renameIn(phase.evaluation, from, to);
    }
}

DataSetSupply::DataSetSupply(Plan plan, TargetPool& targets)
    : m_plan(std::move(plan)), m_targets(targets), m_group(m_plan.hosts, targets)
{
}

DataSetSupply::~DataSetSupply() = default;

void DataSetSupply::start()
{
    m_paths = pathsIn(m_plan.spec);
    readNext();
}

void DataSetSupply::readNext()
{
    if (m_paths.empty())
        return m_missing.empty() ? conclude() : askWhatWasSent();
    m_folder = {m_paths.front(), {}, m_group.size()};
    m_folder.manifests.assign(static_cast<std::size_t>(m_group.size()), QByteArray());
    m_paths.erase(m_paths.begin());
    for (int host = 0; host < m_group.size(); ++host)
        readWhole(m_group.target(host),
                  {{"op", "data-set"}, {"folder", QString::fromStdString(m_folder.path)}}, this,
                  [this, host](const Result<QByteArray>& manifest) {
                      onManifest(static_cast<std::size_t>(host), manifest);
                  });
}

void DataSetSupply::onManifest(std::size_t host, const Result<QByteArray>& manifest)
{
    m_folder.manifests[host] = manifest;
    if (--m_folder.left == 0)
        onRead(m_folder);
}

void DataSetSupply::onRead(const Folder& folder)
{
    if (const Status same = compareManifests(folder.path, m_group.hosts(), folder.manifests); !same.ok())
        return finish(inFolder(folder.path, same.error()));
    Missing missing{folder.path, {}, {}, {}};
    for (int host = 0; host < m_group.size(); ++host) {
        const auto& manifest = folder.manifests[static_cast<std::size_t>(host)];
        const QString name = m_group.hosts()[host];
        if (manifest.ok())
            missing.present.insert(name, QString::fromStdString(folder.path));
        else if (manifest.error().kind == ErrorKind::BadInput)
            missing.lacking << name;
        else
            return finish(inFolder(folder.path, manifest.error()));
    }
    if (!missing.lacking.isEmpty())
        return findSource(folder, std::move(missing));
    m_found[folder.path] = *folder.manifests[0];
    readNext();
}

/// This computer is preferred: what cannot go from host to host can go through it.
void DataSetSupply::findSource(const Folder& folder, Missing missing)
{
    const auto has =
        std::ranges::find_if(folder.manifests, [](const auto& manifest) { return manifest.ok(); });
    const bool here = isOnThisComputer(folder.path);
    if ((!here && has == folder.manifests.end()) || !m_plan.mayMove)
        return finish(inFolder(folder.path, absence(folder, missing)));
    const QString source =
        here ? QString() : m_group.hosts()[static_cast<qsizetype>(has - folder.manifests.begin())];
    missing.from = {source, QString::fromStdString(folder.path)};
    const DataPlace from = missing.from;
    readContent(from, m_targets, this,
                [this, missing](const Result<DataSetContent>& content) { onContent(missing, content); });
}

/// Of a data set that is not to be moved, or that nobody has.
Error DataSetSupply::absence(const Folder& folder, const Missing& missing) const
{
    const Error& cause =
        std::ranges::find_if(folder.manifests, [](const auto& manifest) { return !manifest.ok(); })->error();
    const std::string text = missing.lacking.join(", ").toStdString() + ": " + cause.message;
    if (missing.present.isEmpty())
        return {cause.kind, text, cause.hint};
    const DataPlace from{missing.present.cbegin().key(), QString::fromStdString(folder.path)};
    return {cause.kind, text, "send it there with " + sendCommand(from, missing.lacking).toStdString()};
}

void DataSetSupply::onContent(const Missing& missing, const Result<DataSetContent>& content)
{
    if (!content.ok())
        return finish(inFolder(missing.path, content.error()));
    for (std::size_t host = 0; host < m_folder.manifests.size(); ++host) {
        const auto& manifest = m_folder.manifests[host];
        if (manifest.ok() && idOf(*manifest).toStdString() != content->id)
            return finish(inFolder(
                missing.path, refused(missing.path + " is not the same data set on this computer (manifest " +
                                          content->id.substr(0, 12) + ") and on " +
                                          m_group.hosts()[static_cast<qsizetype>(host)].toStdString() +
                                          " (manifest " + idOf(*manifest).left(12).toStdString() + ")",
                                      "remove the wrong one, or give the right one another name")));
    }
    m_missing.push_back(missing);
    m_missing.back().content = *content;
    readNext();
}

void DataSetSupply::askWhatWasSent()
{
    m_asked = m_group.size();
    for (const QString& host : m_group.hosts())
        listDataSets(host, m_targets, this, this,
                     [this, host](const Result<QList<HostDataSet>>& sets) { onSentBefore(host, sets); });
}

void DataSetSupply::onSentBefore(const QString& host, const Result<QList<HostDataSet>>& sets)
{
    if (!sets.ok())
        return finish(sets.error());
    for (const HostDataSet& set : *sets)
        m_sentBefore[host] << set.id;
    if (--m_asked == 0)
        decide();
}

bool DataSetSupply::wasSent(const Missing& missing, const QString& host) const
{
    const auto sent = m_sentBefore.find(host);
    return sent != m_sentBefore.end() && sent->second.contains(QString::fromStdString(missing.content.id));
}

/// Hosts to which bytes must travel.
QStringList DataSetSupply::receiversOf(const Missing& missing) const
{
    QStringList hosts;
    for (const QString& host : missing.lacking) {
        if (!wasSent(missing, host))
            hosts << host;
    }
    return hosts;
}

/// All ranks read the same path, so a data set outside the agent's folder is copied into it.
QStringList DataSetSupply::copiersOf(const Missing& missing) const
{
    QStringList hosts;
    for (const QString& host : m_group.hosts()) {
        if (missing.present.contains(host) && !wasSent(missing, host))
            hosts << host;
    }
    return hosts;
}

DataOffer DataSetSupply::offer() const
{
    DataOffer offer;
    bool fromHere = m_plan.uploadBytesPerSecond > 0; // the only rate that is known
    for (const Missing& missing : m_missing) {
        const QStringList receivers = receiversOf(missing), copiers = copiersOf(missing);
        if (receivers.isEmpty() && copiers.isEmpty())
            continue;
        offer.names << nameOfFolder(missing.path);
        offer.hosts << receivers;
        offer.copyingHosts << copiers;
        const auto bytes = static_cast<qint64>(missing.content.bytes());
        offer.bytes += receivers.isEmpty() ? 0 : bytes;
        offer.copiedBytes += copiers.size() * bytes;
        fromHere = fromHere && (receivers.isEmpty() || missing.from.isHere());
    }
    offer.hosts.removeDuplicates();
    offer.copyingHosts.removeDuplicates();
    if (fromHere)
        offer.time = std::chrono::milliseconds(
            static_cast<qint64>(1e3 * double(offer.bytes) / m_plan.uploadBytesPerSecond));
    return offer;
}

/// Hosts that have it outside the agent's folder are listed too: they copy it.
QString DataSetSupply::commandFor(const Missing& missing) const
{
    QStringList hosts;
    for (const QString& host : m_group.hosts()) {
        if (!wasSent(missing, host))
            hosts << host;
    }
    return sendCommand(missing.from, hosts);
}

Error DataSetSupply::refusal() const
{
    const DataOffer needed = offer();
    QStringList commands;
    std::string first;
    for (const Missing& missing : m_missing) {
        if (receiversOf(missing).isEmpty() && copiersOf(missing).isEmpty())
            continue;
        commands << commandFor(missing);
        first = first.empty() ? missing.path : first;
    }
    const QString names = needed.names.join(", "), hosts = needed.hosts.join(", ");
    const QString problem =
        needed.hosts.isEmpty()
            ? "not all hosts have the data set " + names + " in the same folder"
            : hosts + (needed.hosts.size() == 1 ? " has" : " have") + " no data set " + names;
    return inFolder(first, refused(problem.toStdString(), needed.text().toStdString() +
                                                              " with --send-data, or with " +
                                                              commands.join(" and ").toStdString()));
}

/// The specification names one path for all hosts.
Status DataSetSupply::checkRoots() const
{
    QStringList places;
    std::set<QString> roots;
    for (int host = 0; host < m_group.size(); ++host) {
        const auto agent = m_group.target(host).agent();
        if (agent && roots.insert(agent->root).second)
            places << agent->root + " on " + m_group.hosts()[host];
    }
    if (roots.size() < 2)
        return {};
    return refused("the hosts keep Trainyard's files in different folders, so a sent data set would have "
                   "different paths: " +
                       places.join(", ").toStdString(),
                   "set TRAINYARD_HOME alike on all hosts, or copy the data set to the same path on each");
}

void DataSetSupply::decide()
{
    if (const Status same = checkRoots(); !same.ok())
        return finish(inFolder(m_missing.front().path, same.error()));
    const DataOffer needed = offer();
    if (needed.isEmpty() || m_plan.sendData == SendData::Send)
        return sendNext();
    if (m_plan.sendData == SendData::Ask)
        emit offered(needed);
    else
        finish(refusal());
}

void DataSetSupply::acceptOffer()
{
    if (!m_ended)
        sendNext();
}

/// Hosts that have it come first: the chain begins with them.
void DataSetSupply::sendNext()
{
    if (m_missing.empty()) {
        m_paths = pathsIn(m_plan.spec); // as the hosts read them now
        m_found.clear();
        m_plan.mayMove = false;
        return readNext();
    }
    const Missing missing = m_missing.front();
    m_missing.erase(m_missing.begin());
    QStringList hosts = m_group.hosts();
    std::ranges::stable_partition(hosts, [&](const QString& host) { return missing.present.contains(host); });
    m_send = std::make_unique<DataSend>(missing.from, hosts, m_targets);
    m_send->setPresent(missing.present);
    connect(m_send.get(), &DataSend::progress, this, &DataSetSupply::progress);
    connect(m_send.get(), &DataSend::noticed, this, &DataSetSupply::noticed);
    connect(m_send.get(), &DataSend::finished, this,
            [this, missing](const Status& sent) { onSent(missing, sent); });
    m_send->start();
}

void DataSetSupply::onSent(const Missing& missing, const Status& sent)
{
    const std::unique_ptr<DataSend, void (*)(DataSend*)> send(m_send.release(),
                                                              [](DataSend* one) { one->deleteLater(); });
    if (!sent.ok())
        return finish(sent.error());
    const QString folder = send->folderOn(0);
    renameDataSet(m_plan.spec, missing.path, folder.toStdString());
    m_moved = true;
    emit noticed(QString("%1 is read from %2 on the hosts").arg(nameOfFolder(missing.path), folder));
    sendNext();
}

void DataSetSupply::conclude()
{
    SuppliedDataSets supplied{m_plan.spec, {}, m_moved};
    for (const DataSetOfPhase& set : dataSetsOf(m_plan.spec))
        supplied.dataSets.manifests.push_back(m_found[set.folder]);
    for (const DataSetOfPhase& set : evaluatedDataSetsOf(m_plan.spec))
        supplied.dataSets.evaluated[set.folder] = m_found[set.folder];
    finish(supplied);
}

/// The first phase that reads it is named, or the evaluation.
Error DataSetSupply::inFolder(const std::string& path, const Error& error) const
{
    for (const DataSetOfPhase& set : dataSetsOf(m_plan.spec)) {
        if (set.folder == path)
            return inPhase(m_plan.spec, set.phase, error);
    }
    for (const DataSetOfPhase& set : evaluatedDataSetsOf(m_plan.spec)) {
        if (set.folder == path)
            return error.in(pathInPhase(m_plan.spec, set.phase, "evaluation.dataset"));
    }
    return error;
}

void DataSetSupply::finish(const Result<SuppliedDataSets>& result)
{
    if (!std::exchange(m_ended, true))
        emit finished(result);
}

} // namespace trainyard
