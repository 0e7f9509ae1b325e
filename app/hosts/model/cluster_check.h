#pragma once

#include <memory>

#include <QObject>

#include "app/hosts/model/host_list_model.h"
#include "remote/preflight/preflight.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// Looks whether some hosts can be one cluster, as a launch does, and writes what comes out into the list.
/// One at a time. GUI thread; nothing blocks.
class ClusterCheck : public QObject {
    Q_OBJECT
public:
    ClusterCheck(HostListModel& hosts, TargetPool& targets, QObject* parent = nullptr);
    ~ClusterCheck() override;

    /// The first of `hosts` is the head. No effect while a check is under way.
    void start(const QStringList& hosts);
    /// Ends it; what was found of single hosts stays.
    void cancel();
    bool isRunning() const { return m_preflight != nullptr; }

signals:
    /// `fraction` is of the hosts that are through; negative while the links are tried.
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
