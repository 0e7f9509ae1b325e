#pragma once

#include <functional>

#include "remote/launch/desk_run.h"
#include "remote/launch/host_group.h"

namespace trainyard {

/// Ends a run that is not wanted after all: it is stopped on every host, the head first, and then removed
/// there. Comes to an end also where hosts do not answer. Lives on the thread of its targets.
class Rollback : public QObject {
public:
    enum class Leave {
        Nothing,
        Run ///< it was there before; it is stopped only
    };

    Rollback(const DeskRun& run, TargetPool& targets, QObject* parent);
    /// `done` hears once: nothing, or of every host that may still have the run, or have it at work.
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
