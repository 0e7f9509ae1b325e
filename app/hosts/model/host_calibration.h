#pragma once

#include <memory>

#include <QObject>

#include "app/hosts/model/host_entry.h"
#include "app/hosts/model/host_probes.h"
#include "app/plan/hardware_library.h"

namespace trainyard {

/// Probes hosts and keeps what they are as hardware for plans. One calibration at a time. GUI thread.
class HostCalibration : public QObject {
    Q_OBJECT
public:
    HostCalibration(RunService& runs, const HardwareLibrary& hardware, QObject* parent = nullptr);
    ~HostCalibration() override;

    /// At least one host, all of them checked. No effect while a calibration is under way.
    void start(const std::vector<HostEntry>& hosts);
    /// finished() follows with Cancelled when nothing is left on the hosts.
    void cancel();
    bool isRunning() const { return m_probes != nullptr; }

signals:
    void progress(const QString& text, double fraction);
    /// Exactly once for each start that had an effect: the hardware as it was kept, under its name.
    void finished(const trainyard::Result<trainyard::NodeModel>& result);

private:
    void onFinished(const Result<ProbeReport>& report);

    RunService& m_runs;
    const HardwareLibrary& m_hardware;
    std::unique_ptr<HostProbes> m_probes;
};

/// A specification for probes of checked hosts: a rank on every device; where there is none, one with all
/// cores.
RunSpec probedSpec(const std::vector<HostEntry>& hosts);

} // namespace trainyard
