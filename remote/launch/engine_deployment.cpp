#include "remote/launch/engine_deployment.h"

namespace trainyard {

/// A run that goes on gets what it had before.
Result<QString> EngineDeployment::choose()
{
    TRAINYARD_TRY(const auto folder, findBundleFolder());
    TRAINYARD_TRY(m_bundle, Bundle::load(folder, TRAINYARD_VERSION));
    Bundle plain = m_bundle->withoutCuda();
    const bool wasPlain = m_plan.earlier == QString::fromStdString(plain.id);
    if (m_plan.earlier ? wasPlain : !m_plan.usesDevices)
        m_bundle = std::move(plain);
    return QString::fromStdString(m_bundle->id);
}

void EngineDeployment::start()
{
    Deployer::Options options;
    options.bytesPerSecond = m_plan.bytesPerSecond;
    m_deployer = std::make_unique<Deployer>(std::move(*m_bundle), m_plan.hosts, options);
    connect(m_deployer.get(), &Deployer::planned, this, [this](const DeployPlan& plan) {
        emit planned(plan.text());
        emit progress(plan.text(), 0);
    });
    connect(m_deployer.get(), &Deployer::noticed, this, &EngineDeployment::noticed);
    connect(m_deployer.get(), &Deployer::advanced, this, [this](const DeployProgress& deployed) {
        if (deployed.total > 0)
            emit progress(deployed.text(), deployed.fraction());
    });
    connect(m_deployer.get(), &Deployer::finished, this, &EngineDeployment::finished);
    m_deployer->start();
}

} // namespace trainyard
