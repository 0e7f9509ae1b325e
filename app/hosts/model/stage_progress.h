#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "engine/records/record.h"

namespace trainyard {

/// One stage of a long job, as the row of stages shows it.
struct Stage {
    QString name;
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0 = unknown
    QString unit;
    double rate = 0;         ///< units per second
    double secondsLeft = -1; ///< negative = unknown
    bool started = false;
    bool finished = false;
    std::map<std::string, std::uint64_t> counters{}; ///< what was found and what was dropped, by name

    /// 0..1; a stage of unknown length is 0 until it is finished.
    double fraction() const;
    QString doneText() const; ///< "4.10 / 6.20 MiB", "12.1 / 34.6 M documents"
    QString rateText() const; ///< "3.2 MiB/s", "812 rows/s"; empty when it does not move
};

/// The stages of data preparation in their order, filled by the records of the stream `prepare`. A plain
/// value.
class StageProgress {
public:
    StageProgress();

    void apply(const ProgressRecord& record);
    /// The job is over: every stage that began is complete.
    void finish();

    const std::vector<Stage>& stages() const { return m_stages; }
    /// Of the slowest unfinished stage; negative = unknown.
    double secondsLeft() const;
    /// Of all stages together.
    std::map<std::string, std::uint64_t> counters() const;
    /// That the process holds now; nothing before it was told.
    std::optional<Bytes> memory() const { return m_memory; }
    /// On the disk of the data set.
    std::optional<Bytes> diskFree() const { return m_diskFree; }

    /// One progress of a job that several hosts do in parts: what is done and the rates add up, the time left
    /// is the slowest host's, a stage is finished when it is everywhere; of memory and disk the tightest is
    /// shown.
    static StageProgress together(const std::vector<StageProgress>& parts);
    /// With what a later job for the same data set has begun.
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
