#pragma once

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

private:
    Stage& stage(const QString& name);

    std::vector<Stage> m_stages;
};

} // namespace trainyard
