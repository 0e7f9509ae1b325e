#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "engine/records/record.h"

namespace trainyard {

/// One stage of a long job, as shown in the row of stages.
struct Stage {
    QString name;
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0 = unknown
    QString unit;
    double rate = 0;         ///< units per second
    double secondsLeft = -1; ///< negative = unknown
    bool started = false;
    bool finished = false;
    std::map<std::string, std::uint64_t> counters{}; ///< kept and filtered items by name

    /// 0..1; a stage of unknown length is 0 until it is finished.
    double fraction() const;
    QString doneText() const; ///< "4.10 / 6.20 MiB", "12.1 / 34.6 M documents"
    QString rateText() const; ///< "3.2 MiB/s", "812 rows/s"; empty when idle
};

/// The stages of data preparation in order, filled from the records of the stream `prepare`. A plain value.
class StageProgress {
public:
    StageProgress();

    void apply(const ProgressRecord& record);
    /// Marks every started stage as complete when the job has finished.
    void finish();

    const std::vector<Stage>& stages() const { return m_stages; }
    /// Time left of the slowest unfinished stage, in seconds; negative = unknown.
    double secondsLeft() const;
    /// Counters summed over all stages.
    std::map<std::string, std::uint64_t> counters() const;
    /// Memory that the process uses now; nullopt before the first report.
    std::optional<Bytes> memory() const { return m_memory; }
    /// Free space on the data set's disk.
    std::optional<Bytes> diskFree() const { return m_diskFree; }

    /// Combines the progress of parts on several hosts: amounts and rates are added, the time left is the
    /// slowest host's, a stage is finished once it is finished everywhere, memory and disk are those of the
    /// tightest host.
    static StageProgress together(const std::vector<StageProgress>& parts);
    /// Returns this progress with the started stages of a later job for the same data set.
    StageProgress followedBy(const StageProgress& later) const;

private:
    Stage& stage(const QString& name);
    void add(const Stage& more);
    bool hasFinished(const QString& stage) const;

    std::vector<Stage> m_stages;
    std::optional<Bytes> m_memory;
    std::optional<Bytes> m_diskFree;
};

} // namespace trainyard
