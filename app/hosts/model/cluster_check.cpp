#include "app/hosts/model/cluster_check.h"

namespace trainyard {

ClusterCheck::ClusterCheck(HostListModel& hosts, TargetPool& targets, QObject* parent)
    : QObject(parent), m_hosts(hosts), m_targets(targets)
{
}

ClusterCheck::~ClusterCheck() = default;

void ClusterCheck::start(const QStringList& hosts)
{
    if (isRunning())
        return;
    m_preflight = std::make_unique<Preflight>(hosts, m_targets);
    connect(m_preflight.get(), &Preflight::progress, this, [this](const QString& text, int done, int total) {
        emit progress(text, done == total ? -1 : double(done) / total);
    });
    connect(m_preflight.get(), &Preflight::hostChecked, this,
            [this](const HostReport& report) { m_hosts.setReport(report.host, report); });
    connect(m_preflight.get(), &Preflight::finished, this, &ClusterCheck::onFinished);
    m_preflight->start();
}

void ClusterCheck::cancel()
{
    if (!isRunning())
        return;
    m_preflight.reset();
    emit cancelled();
}

void ClusterCheck::onFinished(const PreflightReport& report)
{
    m_preflight.release()->deleteLater(); // we are in its signal
    for (const HostReport& host : report.hosts)
        m_hosts.setReport(host.host, host);
    emit finished(report);
}

} // namespace trainyard
