#pragma once

#include <filesystem>

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Loads and saves the names of the user's hosts in `hosts.json` of the data folder, in the user's order,
/// without this machine. A missing file is an empty list; for a damaged one see desk_file.h.
Result<QStringList> loadHosts(const std::filesystem::path& file);
Status saveHosts(const std::filesystem::path& file, const QStringList& names);

} // namespace trainyard
