#pragma once

#include <map>

#include <QString>

namespace trainyard {

/// A specification as a flat list: "optimizer.name" -> "lamb", "cluster.nodes[0].host" -> "gpu-01". Without
/// its name, which decides nothing. Empty for a text that is no JSON object.
using SpecFields = std::map<QString, QString>;
SpecFields specFields(const QString& specText);

/// True for what only starts the random numbers: "seed", "launch.seed".
bool isSeed(const QString& path);

} // namespace trainyard
