#pragma once

#include <vector>

#include <QJsonArray>
#include <QString>

#include "engine/planner/search/found_layout.h"

namespace trainyard {

/// What `trainyard search` found, for people: a table, then of each layout what it gives up against the first
/// one, where its groups of ranks lie, and what another order of its ranks would cost.
QString foundLayoutText(const SearchRequest& request, const std::vector<FoundLayout>& layouts);

/// The same as an array, the best layout first.
QJsonArray foundLayoutJson(const SearchRequest& request, const std::vector<FoundLayout>& layouts);

} // namespace trainyard
