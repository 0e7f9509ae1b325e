#pragma once

#include <filesystem>

#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// The names of the user's hosts in `hosts.json` of the desk data folder, in her order, without this machine.
/// A missing file is an empty list; of a damaged one see desk_file.h.
Result<QStringList> loadHosts(const std::filesystem::path& file);
Status saveHosts(const std::filesystem::path& file, const QStringList& names);

} // namespace trainyard
