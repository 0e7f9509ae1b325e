#pragma once

#include <optional>
#include <vector>

#include <QString>

namespace trainyard {

/// Which ranks somebody means: "3", "0-3, 8" or "all". Ascending, each once; nothing when it is none of this
/// or names a rank that is not below `worldSize`.
std::optional<std::vector<int>> ranksFrom(const QString& text, int worldSize);
/// The shortest such text.
QString textOf(const std::vector<int>& ranks, int worldSize);

} // namespace trainyard
