#include "remote/launch/attach_operation.h"

#include <algorithm>
#include <functional>

#include <QJsonArray>
#include <QJsonDocument>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/spec/field_reader.h"
#include "remote/target/data_dirs.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

constexpr std::size_t kNamedRuns = 3;

/// What to attach to instead: the run whose id is meant, else the newest ones.
std::string whatIsThere(const QJsonArray& runs, const QString& wanted)
{
    std::vector<std::string> ids;
    for (const auto& run : runs)
        ids.push_back(run.toObject().value("run").toString().toStdString());
    if (ids.empty())
        return "it has no runs; give the host that the run was started on";
    if (const std::string nearest = nearestName(wanted.toStdString(), ids); !nearest.empty())
        return "did you mean " + nearest + "?";
    std::ranges::sort(ids, std::greater()); // they begin with the time
    ids.resize(std::min(ids.size(), kNamedRuns));
    return fmt::format("its newest are {}; or give the host that it was started on", fmt::join(ids, ", "));
}

} // namespace

AttachOperation::AttachOperation(const QString& host, const QString& runId, RunAccess access,
                                 TargetPool& targets, QObject* parent)
    : RunOperation(parent), m_group({host}, targets)
{
    m_runId = runId;
    m_run.id = runId;
    m_run.access = access;
    m_run.hosts = QStringList{host};
    m_run.createdNs = systemClock().now().wallNs;
}

void AttachOperation::start()
{
    if (!isPlainName(m_runId.toStdString()))
        return refuse(badInput("\"" + m_runId.toStdString() + "\" is not a valid run name"));
    emit progress("asking " + m_run.head(), -1);
    m_group.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return finish(ready.error());
        findRun();
    });
}

void AttachOperation::cancel()
{
    finish(cancelled("attaching was cancelled"));
}

void AttachOperation::findRun()
{
    m_group.target(0).call({{"op", "runs"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return finish(reply.error());
        const QJsonArray runs = reply->value("runs").toArray();
        for (const auto& entry : runs) {
            const QJsonObject run = entry.toObject();
            if (run.value("run").toString() != m_runId)
                continue;
            m_run.name = run.value("name").toString();
            m_run.kind = runKindFrom(run.value("kind").toString());
            m_run.attempt = static_cast<std::uint32_t>(run.value("attempt").toInteger(1));
            return readHosts();
        }
        finish(badInput(m_run.head().toStdString() + " does not have the run " + m_runId.toStdString(),
                        whatIsThere(runs, m_runId)));
    });
}

/// The head keeps the name by which we reach it; the other hosts are called as whoever started the run did.
void AttachOperation::readHosts()
{
    readFile("inventory.json", [this](const QByteArray& json) {
        const QJsonObject inventory = QJsonDocument::fromJson(json).object();
        const QJsonArray hosts = inventory.value("hosts").toArray();
        for (qsizetype node = 1; node < hosts.size(); ++node)
            m_run.hosts << hosts[node].toObject().value("host").toString();
        const QJsonArray streamHosts = inventory.value("stream_hosts").toArray();
        m_run.streamHosts = m_run.hosts.mid(0, 1);
        for (qsizetype number = 1; number < streamHosts.size(); ++number)
            m_run.streamHosts << streamHosts[number].toString();
        m_run.moveTo(m_run.hosts);
        m_run.bundle = inventory.value("bundle").toString();
        readDocument();
    });
}

void AttachOperation::readDocument()
{
    const QString name = documentOf(m_run.kind);
    readFile(name, [this, name](const QByteArray& document) {
        Status kept = saveDeskRun(m_run);
        if (kept.ok())
            kept = writeFileAtomically(runDir(m_runId) / name.toStdString(), document.toStdString());
        finish(kept.ok() ? Result<QString>(m_runId) : kept.error());
    });
}

void AttachOperation::readFile(const QString& file, std::function<void(const QByteArray&)> done)
{
    readWhole(m_group.target(0), {{"op", "read"}, {"run", m_runId}, {"file", file}}, this,
              [this, done](const Result<QByteArray>& content) {
                  if (!content.ok())
                      return finish(content.error());
                  done(*content);
              });
}

} // namespace trainyard
