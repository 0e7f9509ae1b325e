#include "app/hosts/model/host_engine.h"

#include <QCoreApplication>

namespace trainyard {

Result<Bundle> deskEngine()
{
    TRAINYARD_TRY(const auto folder, findBundleFolder());
    return Bundle::load(folder, TRAINYARD_VERSION);
}

QString engineText(const QJsonArray& bundles, const Result<Bundle>& engine)
{
    if (engine.ok() && bundles.contains(QString::fromStdString(engine->id)))
        return QString::fromStdString(engine->version);
    return bundles.isEmpty() ? QCoreApplication::translate("HostEngine", "not uploaded yet")
                             : QCoreApplication::translate("HostEngine", "different build");
}

} // namespace trainyard
