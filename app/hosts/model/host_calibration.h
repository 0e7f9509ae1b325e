#pragma once

#include <memory>

#include <QObject>

#include "app/hosts/model/host_entry.h"
#include "app/hosts/model/host_probes.h"
#include "app/plan/hardware_library.h"

namespace trainyard {

/// Probes hosts and saves the result as hardware for plans. One calibration at a time. GUI thread.
class HostCalibration : public QObject {
    Q_OBJECT
public:
    HostCalibration(RunService& runs, const HardwareLibrary& hardware, QObject* parent = nullptr);
    ~HostCalibration() override;

    /// Requires at least one host, all of them checked. No effect while a calibration is running.
    void start(const std::vector<HostEntry>& hosts);
    /// finished() follows with Cancelled once the hosts are cleaned up.
    void cancel();
    bool isRunning() const { return m_probes != nullptr; }

signals:
    void progress(const QString& text, double fraction);
    /// Emitted exactly once per effective start(): the saved hardware under its name, or an error.
    void finished(const trainyard::Result<trainyard::NodeModel>& result);

private:
    void onFinished(const Result<ProbeReport>& report);

    RunService& m_runs;
    const HardwareLibrary& m_hardware;
    std::unique_ptr<HostProbes> m_probes;
};

/// Returns the specification for probing checked hosts: one rank per device, or a single rank with all cores
/// on hosts without devices.
RunSpec probedSpec(const std::vector<HostEntry>& hosts);

} // namespace trainyard
