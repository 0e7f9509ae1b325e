#include "tests/faults/small_training.h"

#include "tests/support/lab/small_data_set.h"

using namespace trainyard;

namespace {

constexpr int kSteps = 1'000'000;
const QString kData = "/root/data";

} // namespace

QString SmallTraining::prepare()
{
    if (const QString trouble = lab::makeSmallDataSet(m_dir.filePath("data"), m_hosts); !trouble.isEmpty())
        return trouble;
    for (int host = 0; host < m_hosts; ++host) {
        const auto copied =
            lab::runCommand({"cp", "-r", m_dir.filePath("data"), m_lab.host(host).path(kData)});
        if (!copied.ok())
            return copied.errors;
    }
    return {};
}

RunSpec SmallTraining::spec() const
{
    RunSpec spec;
    spec.model.maxPositions = 64;
    spec.model.vocabulary = lab::vocabularySizeOf(m_dir.filePath("data"));
    spec.cluster.nodes.clear();
    for (int host = 0; host < m_hosts; ++host)
        spec.cluster.nodes.push_back({m_lab.host(host).address().toStdString(), 1, 0});
    spec.layout.data = m_hosts;
    spec.batch = {m_hosts, 1, 1};
    spec.dataset.path = kData.toStdString();
    spec.launch.steps = kSteps;
    spec.launch.device = DeviceKind::Cpu;
    return spec;
}
