#include "app/hosts/model/host_checks.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include "remote/preflight/host_check.h"
#include "remote/target/host_key_change.h"

namespace trainyard {

HostChecks::HostChecks(HostListModel& hosts, TargetPool& targets, QObject* parent)
    : QObject(parent), m_hosts(hosts), m_targets(targets), m_cluster(hosts, targets)
{
    for (Target* target : targets.targets())
        watch(*target);
    connect(&targets, &TargetPool::targetAdded, this, [this](Target* target) { watch(*target); });
}

void HostChecks::watch(Target& target)
{
    const QString host = target.host();
    connect(&target, &Target::hostKeyUnknown, this, [this, host](const HostKeyQuestion& question) {
        m_hosts.setAddress(host, question.address);
        m_hosts.setState(host, HostState::HostKeyUnknown, tr("waiting for you to confirm the host key"));
        emit hostKeyUnknown(host, question);
    });
    connect(&target, &Target::progress, this, [this, host](const QString& text) {
        if (isChecking(host))
            m_hosts.setState(host, HostState::Checking, text);
    });
    connect(&target, &Target::stateChanged, this,
            [this, host](Target::State state) { onTargetState(host, state); });
}

void HostChecks::check(const QString& host)
{
    const int row = m_hosts.rowOf(host);
    if (row < 0 || isChecking(host))
        return;
    const HostState before = m_hosts.at(row).state;
    Target& target = m_targets.target(host);
    auto* check = new HostCheck(target, needsOfDesk(), this);
    m_running[host] = {check, before};
    connect(check, &HostCheck::finished, this,
            [this, host](const HostReport& report) { onFinished(host, report); });
    m_hosts.setState(host, HostState::Checking, tr("connecting"));
    emit started(host);
    target.open();
    check->start();
}

void HostChecks::cancel(const QString& host)
{
    const auto running = m_running.find(host);
    if (running == m_running.end())
        return;
    const Running job = running->second;
    m_running.erase(running);
    job.check->disconnect(this);
    job.check->deleteLater();
    m_hosts.setState(host, job.before);
    emit finished(host);
}

void HostChecks::answerHostKey(const QString& host, bool trust)
{
    if (Target* target = m_targets.find(host)) {
        if (trust)
            m_hosts.setState(host, HostState::Checking, tr("connecting"));
        target->answerHostKey(trust);
    }
}

void HostChecks::askForEngine(const QString& host)
{
    Target* target = m_targets.find(host);
    if (!target || target->isLocal())
        return;
    target->call({{"op", "bundles"}}, this, [this, host](const Result<QJsonObject>& reply) {
        if (reply.ok())
            m_hosts.setEngine(host, engineText((*reply)["bundles"].toArray(), deskEngine()));
    });
}

void HostChecks::forget(const QString& host)
{
    cancel(host);
    m_targets.forget(host);
}

void HostChecks::onFinished(const QString& host, const HostReport& report)
{
    const auto running = m_running.find(host);
    if (running == m_running.end())
        return;
    running->second.check->deleteLater();
    m_running.erase(running);
    m_hosts.setReport(host, report);
    askForEngine(host);
    emit finished(host);
}

void HostChecks::onTargetState(const QString& host, Target::State state)
{
    const Target* target = m_targets.find(host);
    if (state != Target::State::Refused || !target || !target->lastError())
        return;
    if (const auto change = target->hostKeyChange())
        emit hostKeyChanged(host, *change, *target->lastError());
    else
        emit linkRefused(host, *target->lastError());
}

void HostChecks::removeOldKeys(const QString& host, const HostKeyChange& change)
{
    QThreadPool::globalInstance()->start([checks = QPointer(this), host, change] {
        const Status removed = trainyard::removeOldKeys(change);
        QMetaObject::invokeMethod(qApp, [checks, host, removed] {
            if (checks)
                checks->onOldKeysRemoved(host, removed);
        });
    });
}

void HostChecks::onOldKeysRemoved(const QString& host, const Status& removed)
{
    if (!removed.ok())
        return emit linkRefused(host, removed.error());
    check(host);
}

Result<Bundle> deskEngine()
{
    TRAINYARD_TRY(const auto folder, findBundleFolder());
    return Bundle::load(folder, TRAINYARD_VERSION);
}

QString engineText(const QJsonArray& bundles, const Result<Bundle>& engine)
{
    if (engine.ok() && bundles.contains(QString::fromStdString(engine->id)))
        return QString::fromStdString(engine->version);
    return bundles.isEmpty() ? QCoreApplication::translate("HostChecks", "not uploaded yet")
                             : QCoreApplication::translate("HostChecks", "different build");
}

} // namespace trainyard
