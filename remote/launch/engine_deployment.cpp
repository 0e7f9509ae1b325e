#include "remote/launch/engine_deployment.h"

namespace trainyard {

/// A run that goes on gets what it had before.
Bundle EngineDeployment::chosenOf(const Bundle& whole) const
{
    if (!m_plan.earlier)
        return whole.with(m_plan.parts);
    for (const BundleParts parts : {BundleParts{}, {.tables = true}, {.cuda = true}}) {
        Bundle part = whole.with(parts);
        if (m_plan.earlier == QString::fromStdString(part.id))
            return part;
    }
    return whole;
}

Result<QString> EngineDeployment::choose()
{
    TRAINYARD_TRY(const auto folder, findBundleFolder());
    TRAINYARD_TRY(const Bundle whole, Bundle::load(folder, TRAINYARD_VERSION));
    m_bundle = chosenOf(whole);
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
