#pragma once

#include <functional>

#include "remote/launch/desk_run.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Undoes the start of a run: stops it on every host, the head first, and then removes it there. Finishes
/// even when hosts do not respond. Lives on the thread of its targets.
class Rollback : public QObject {
public:
    enum class Leave {
        Nothing,
        Run ///< it was there before; it is stopped only
    };

    Rollback(const DeskRun& run, TargetPool& targets, QObject* parent);
    /// Calls `done` once: ok, or an error listing every host that may still have the run or its processes.
    void start(Leave leave, std::function<void(const Status&)> done);

private:
    void remove();
    void conclude(const Status& outcome);

    DeskRun m_run;
    TargetPool& m_targets;
    HostGroup m_group;
    HostGroup::Answers m_removed; ///< in order of node
    int m_left = 0;               ///< answers that are still to come
    std::function<void(const Status&)> m_done;
};

} // namespace trainyard
