#pragma once

#include <vector>

#include <QJsonArray>
#include <QString>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// The result of `trainyard search` as text: a table, then for each layout its trade-offs against the first
/// one, the placement of its groups of ranks, and the cost of other rank orders.
QString foundLayoutText(const SearchRequest& request, const std::vector<FoundLayout>& layouts);

/// The same as an array, the best layout first.
QJsonArray foundLayoutJson(const SearchRequest& request, const std::vector<FoundLayout>& layouts);

} // namespace trainyard
