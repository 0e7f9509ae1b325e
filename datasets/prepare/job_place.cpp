#include "datasets/prepare/job_place.h"

namespace trainyard {

void JobPlace::addOptions(CLI::App& command)
{
    command.add_option("--run-dir", runDirectory,
                       "record progress in DIR/journal/prepare, stop when DIR/control/stop appears");
    command.add_option("--attempt", attempt, "number of this attempt, for the run's records")
        ->capture_default_str();
}

Result<std::unique_ptr<ProgressSink>> JobPlace::openSink() const
{
    if (runDirectory.empty())
        return terminalSink();
    TRAINYARD_TRY(JournalWriter journal, JournalWriter::open(runDirectory / "journal", "prepare", attempt));
    return journalSink(std::move(journal));
}

std::optional<std::filesystem::path> JobPlace::stopFile() const
{
    if (runDirectory.empty())
        return std::nullopt;
    return runDirectory / "control" / "stop";
}

} // namespace trainyard
