#pragma once

#include <memory>

#include <QObject>

#include "app/hosts/model/host_list_model.h"
#include "remote/preflight/preflight.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// Checks whether hosts can form a cluster, as a launch does, and stores the reports in the list. One check
/// at a time. GUI thread; never blocks.
class ClusterCheck : public QObject {
    Q_OBJECT
public:
    ClusterCheck(HostListModel& hosts, TargetPool& targets, QObject* parent = nullptr);
    ~ClusterCheck() override;

    /// The first of `hosts` is the head. No effect while a check is running.
    void start(const QStringList& hosts);
    /// Stops the check; reports of single hosts are kept.
    void cancel();
    bool isRunning() const { return m_preflight != nullptr; }

signals:
    /// `fraction`: share of hosts already checked; negative while links are tested.
    void progress(const QString& text, double fraction);
    void finished(const trainyard::PreflightReport& report);
    void cancelled();

private:
    void onFinished(const PreflightReport& report);

    HostListModel& m_hosts;
    TargetPool& m_targets;
    std::unique_ptr<Preflight> m_preflight;
};

} // namespace trainyard
