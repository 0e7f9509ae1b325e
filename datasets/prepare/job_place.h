#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/job_watch.h"
#include "datasets/job/progress.h"
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

    /// Gives what `work(progress, cancel)` gives, a Result, while progress is shown and Ctrl+C or the run's
    /// stop file sets `cancel`. `out` as for JobWatch.
    template <typename Work>
    std::invoke_result_t<Work, Progress&, const CancelFlag&>
    watch(const Work& work, const std::filesystem::path& out = {}) const
    {
        blockStopSignals();
        auto sink = openSink();
        if (!sink.ok())
            return sink.error();
        Progress progress;
        CancelFlag cancel;
        JobWatch watch(progress, cancel, std::move(*sink), stopFile(), out);
        auto made = work(progress, cancel);
        watch.end(made.ok() ? Status() : Status(made.error()));
        return made;
    }
};

} // namespace trainyard
