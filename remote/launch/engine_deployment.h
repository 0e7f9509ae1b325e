#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <QList>
#include <QObject>
#include <QString>

#include "remote/deploy/deployer.h"

namespace trainyard {

/// Brings the engine of this computer to the hosts of a run. GUI thread; destroying it stops the uploads.
class EngineDeployment : public QObject {
    Q_OBJECT

public:
    struct Plan {
        QList<Target*> hosts;
        BundleParts parts;              ///< they are big, so they go only where they are needed
        std::optional<QString> earlier; ///< id of the bundle of a run that goes on
        double bytesPerSecond = 0;      ///< from this computer; 0 = unknown
    };
    explicit EngineDeployment(Plan plan) : m_plan(std::move(plan)) {}

    /// Finds the bundle that fits, and returns its id. Errors of findBundleFolder() and Bundle::load().
    Result<QString> choose();
    /// After choose().
    void start();

signals:
    /// What is going to be sent and how long that takes.
    void planned(const QString& text);
    void noticed(const QString& text);
    void progress(const QString& text, double fraction);
    /// Once.
    void finished(const trainyard::Status& result);

private:
    Bundle chosenOf(const Bundle& whole) const;

    Plan m_plan;
    std::optional<Bundle> m_bundle;
    std::unique_ptr<Deployer> m_deployer;
};

} // namespace trainyard
