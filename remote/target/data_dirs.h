#pragma once

#include <filesystem>

#include <QString>

namespace trainyard {

/// Returns the directory of the application data: $TRAINYARD_DATA or the user's application data folder
/// (~/.local/share/trainyard).
std::filesystem::path dataDir();
/// Returns `<data>/runs`, the local copies of runs.
std::filesystem::path runsDir();
/// Returns the file that lists the secrets in the system's keyring: names only.
std::filesystem::path keyringIndexFile();
/// Returns `<data>/runs/<run id>`. Requires a plain name.
std::filesystem::path runDir(const QString& runId);

} // namespace trainyard
