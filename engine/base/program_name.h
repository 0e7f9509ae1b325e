#pragma once

#include <filesystem>
#include <string>

namespace trainyard {

/// The desk's command line becomes the node executables under its own name; then the user knows `trainyard
/// prepare` and should not hear of another program. `startedAs`: argv[0].
inline std::string programName(const char* startedAs, const char* own)
{
    return std::filesystem::path(startedAs).filename() == "trainyard" ? "trainyard" : own;
}

} // namespace trainyard
