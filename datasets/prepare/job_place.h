#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "datasets/job/progress_sink.h"
#include "engine/base/result.h"

namespace trainyard {

/// Where a command reports progress and listens for a stop: the terminal, or the directory of a run.
struct JobPlace {
    std::filesystem::path runDirectory; ///< empty = the terminal
    std::uint32_t attempt = 1;

    /// Adds --run-dir and --attempt. Must outlive the parsing of the command line.
    void addOptions(CLI::App& command);
    Result<std::unique_ptr<ProgressSink>> openSink() const;
    /// Returns the place for JobWatch.
    std::optional<std::filesystem::path> stopFile() const;
};

} // namespace trainyard
