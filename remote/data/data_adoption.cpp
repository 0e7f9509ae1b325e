#include "remote/data/data_adoption.h"

#include <chrono>
#include <utility>

#include <QJsonArray>
#include <QSet>
#include <QTimer>
#include <fmt/format.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr int kMaxAdoptionBreaks = 20; ///< with the pauses about as long as a link may be gone
constexpr std::chrono::seconds kAdoptionPause{3};

} // namespace

DataAdoption::DataAdoption(const QString& host, QString folder, const DataSetContent& content,
                           TargetPool& targets)
    : m_host({host}, targets), m_folder(std::move(folder)), m_missing(content.files)
{
}

void DataAdoption::start()
{
    m_host.whenReady(
        [this](const Status& ready) { ready.ok() ? askWhatIsMissing() : void(emit finished(ready)); });
}

/// Asked again after every break: it is quick, and says what the store got meanwhile.
void DataAdoption::askWhatIsMissing()
{
    QSet<QString> asked;
    for (const DataSetFile& file : m_missing)
        asked << QString::fromStdString(file.sha256);
    const QJsonArray hashes = QJsonArray::fromStringList(QStringList(asked.cbegin(), asked.cend()));
    m_host.target(0).call(
        {{"op", "have"}, {"sha256", hashes}}, this,
        [this](const Result<QJsonObject>& reply) { reply.ok() ? onMissing(*reply) : handle(reply.error()); });
}

void DataAdoption::onMissing(const QJsonObject& reply)
{
    QSet<QString> missing;
    for (const auto& entry : reply.value("missing").toArray())
        missing << entry.toObject().value("sha256").toString();
    // An equal content is copied once.
    std::erase_if(m_missing, [&](const DataSetFile& file) {
        return !missing.remove(QString::fromStdString(file.sha256));
    });
    m_left = 0;
    for (const DataSetFile& file : m_missing)
        m_left += static_cast<qint64>(file.bytes);
    m_total = std::max(m_total, m_left);
    if (const Status room = checkRoom(reply.value("disk").toObject()); !room.ok())
        return emit finished(room);
    copyNext();
}

Status DataAdoption::checkRoom(const QJsonObject& disk) const
{
    const qint64 free = disk.value("free").toInteger(m_left);
    if (free >= m_left)
        return {};
    return refused(
        fmt::format("the data set {} does not fit in {} of {}: its copy needs {} more, {} are free",
                    m_folder.toStdString(), disk.value("path").toString().toStdString(),
                    m_host.hosts()[0].toStdString(), formatBytes(Bytes(m_left)), formatBytes(Bytes(free))),
        "free space there (`trainyard data list` shows data sets that are not needed any more), or "
        "set TRAINYARD_HOME on the host to a folder with enough space");
}

void DataAdoption::copyNext()
{
    emit progress(m_total - m_left, m_total);
    if (m_missing.empty())
        return emit finished({});
    const DataSetFile& file = m_missing.front();
    m_host.target(0).call({{"op", "adopt-data"},
                           {"folder", m_folder},
                           {"file", QString::fromStdString(file.path)},
                           {"sha256", QString::fromStdString(file.sha256)}},
                          this, [this](const Result<QJsonObject>& reply) {
                              if (!reply.ok())
                                  return handle(reply.error());
                              m_breaks = 0;
                              m_left -= static_cast<qint64>(m_missing.front().bytes);
                              m_missing.erase(m_missing.begin());
                              copyNext();
                          });
}

/// A link that is gone comes back: the target sees to it.
void DataAdoption::handle(const Error& error)
{
    if (error.kind != ErrorKind::Unreachable || ++m_breaks > kMaxAdoptionBreaks)
        return emit finished(error);
    QTimer::singleShot(kAdoptionPause, this, &DataAdoption::start);
}

} // namespace trainyard
