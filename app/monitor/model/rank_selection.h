#pragma once

#include <optional>
#include <vector>

#include <QString>

namespace trainyard {

/// Parses "3", "0-3, 8" or "all" to ascending unique ranks; nullopt for other text or for a rank not below
/// `worldSize`.
std::optional<std::vector<int>> ranksFrom(const QString& text, int worldSize);
/// Returns the shortest text that ranksFrom() parses to these ranks.
QString textOf(const std::vector<int>& ranks, int worldSize);

} // namespace trainyard
