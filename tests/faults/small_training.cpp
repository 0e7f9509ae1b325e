#include "tests/faults/small_training.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

using namespace trainyard;

namespace {

constexpr int kSteps = 1'000'000;
const QString kData = "/root/data";

} // namespace

QString SmallTraining::prepare()
{
    const QDir samples(QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples"));
    const auto made = lab::runCommand({QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-prepare"), "prepare",
                                       samples.filePath(samples.entryList({"*.xml.bz2"}).value(0)),
                                       "--train-vocab", "1000", "--out", m_dir.filePath("data"), "--seq-len",
                                       "64", "--max-pred", "10", "--shards", QString::number(m_hosts)});
    if (!made.ok())
        return made.errors;
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
    QFile manifest(m_dir.filePath("data/manifest.json"));
    if (manifest.open(QIODevice::ReadOnly))
        spec.model.vocabulary =
            QJsonDocument::fromJson(manifest.readAll()).object().value("vocabulary_size").toInt();
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
