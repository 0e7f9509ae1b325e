#pragma once

#include <filesystem>
#include <functional>

#include <QByteArray>

#include "engine/base/result.h"

namespace trainyard {

/// By the end of its name.
bool isParquet(const std::filesystem::path& file);

/// Calls take(line) for each row of a Parquet file, a JSON object whose times are seconds since 1970, until
/// it returns false. `trainyard-prepare rows` reads it, which alone has the libraries. In any thread.
/// BadInput if the file is damaged; Refused if the program is not there.
Status readColumnTable(const std::filesystem::path& file,
                       const std::function<bool(const QByteArray& line)>& take);

} // namespace trainyard
