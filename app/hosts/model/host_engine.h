#pragma once

#include <QJsonArray>
#include <QString>

#include "remote/deploy/bundle.h"

namespace trainyard {

/// Loads the engine bundle that is uploaded to hosts. BadInput or Refused when there is none.
Result<Bundle> deskEngine();

/// Returns the engine column's text for a host with these bundles (the reply to `bundles`): the version if
/// it has the current engine.
QString engineText(const QJsonArray& bundles, const Result<Bundle>& engine);

} // namespace trainyard
