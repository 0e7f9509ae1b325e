#pragma once

#include <QJsonArray>
#include <QString>

#include "remote/deploy/bundle.h"

namespace trainyard {

/// The engine that this desk sends to hosts. BadInput or Refused when it has none.
Result<Bundle> deskEngine();

/// What the list of hosts says of a host that has these bundles (the answer to `bundles`): the version when
/// the desk's own is among them.
QString engineText(const QJsonArray& bundles, const Result<Bundle>& engine);

} // namespace trainyard
