#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard {

/// Sends this process's stdout and stderr to the end of `file` (its folder is made) and says so in its first
/// line. What the process then prints for a person at the terminal goes through terminal().
class RankLog {
public:
    static Result<RankLog> redirect(const std::filesystem::path& file, const std::string& firstLine);

    /// Writes one line to the stderr that the process was started with.
    void tellTerminal(const std::string& line) const;

private:
    FileDescriptor m_terminal;
};

/// One line to the log, at once; while its disk is nearly full, only errors.
void logLine(const std::string& line);

} // namespace trainyard
