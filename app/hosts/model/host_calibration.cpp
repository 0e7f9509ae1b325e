#include "app/hosts/model/host_calibration.h"

#include <algorithm>

#include <QDate>

#include "app/plan/hardware_library.h"

namespace trainyard {

HostCalibration::HostCalibration(RunService& runs, const HardwareLibrary& hardware, QObject* parent)
    : QObject(parent), m_runs(runs), m_hardware(hardware)
{
}

HostCalibration::~HostCalibration() = default;

void HostCalibration::start(const std::vector<HostEntry>& hosts)
{
    if (isRunning())
        return;
    m_probes = std::make_unique<HostProbes>(m_runs, probedSpec(hosts));
    connect(m_probes.get(), &HostProbes::progress, this, &HostCalibration::progress);
    connect(m_probes.get(), &HostProbes::finished, this, &HostCalibration::onFinished);
    m_probes->start();
}

void HostCalibration::cancel()
{
    if (m_probes)
        m_probes->cancel();
}

void HostCalibration::onFinished(const Result<ProbeReport>& report)
{
    m_probes.release()->deleteLater(); // we are in its signal
    if (!report.ok()) {
        emit finished(report.error());
        return;
    }
    emit finished(keepProbedHardware(m_hardware, *report, {},
                                     QDate::currentDate().toString(Qt::ISODate).toStdString()));
}

RunSpec probedSpec(const std::vector<HostEntry>& hosts)
{
    RunSpec spec;
    spec.name = "calibration";
    spec.dataset.path = "/"; // nobody opens it
    spec.cluster.nodes.clear();
    int fewestCores = 0;
    bool haveDevices = true;
    for (const HostEntry& host : hosts) {
        const HostFacts facts = host.report ? host.report->facts : HostFacts();
        haveDevices = haveDevices && !facts.devices.isEmpty();
        fewestCores = fewestCores == 0 ? facts.cores : std::min(fewestCores, facts.cores);
        NodeSpec& node = spec.cluster.nodes.emplace_back();
        node.host = host.name.toStdString();
        node.slotCount = std::max(1, static_cast<int>(facts.devices.size()));
    }
    if (haveDevices) {
        spec.precision.compute = ComputeType::BFloat16;
        return spec;
    }
    for (NodeSpec& node : spec.cluster.nodes)
        node.slotCount = 1;
    spec.launch.threadsPerRank = std::max(1, fewestCores);
    return spec;
}

} // namespace trainyard
