#pragma once

#include <filesystem>

#include <QString>

namespace trainyard {

/// Where this desk keeps what it knows: $TRAINYARD_DATA or the user's application data folder
/// (~/.local/share/trainyard).
std::filesystem::path dataDir();
/// `<data>/runs`, the desk's copies of runs.
std::filesystem::path runsDir();
/// Which secrets the system's keyring keeps for this desk: names only.
std::filesystem::path keyringIndexFile();
/// `<data>/runs/<run id>`. Requires a plain name.
std::filesystem::path runDir(const QString& runId);

} // namespace trainyard
