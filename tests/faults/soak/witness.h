#pragma once

#include <optional>

#include "tests/faults/soak/checkpoint_check.h"
#include "tests/faults/soak/history.h"
#include "tests/faults/supervised_run.h"

namespace trainyard::soak {

/// Looks at a run, and writes to the history what it sees.
class Witness {
public:
    enum class Doing { OfRun, OfNemesis }; ///< who changed the checkpoints since the last look

    /// Both outlive this object.
    Witness(const SupervisedRun& run, HistoryFile& history);

    /// Ranks first, then the checkpoints, then the epoch. So where no rank is left, what is seen of the
    /// checkpoints is how they stay; and where the epoch is as before, they were so before a further attempt
    /// began.
    void look(Moment at, Doing doing = Doing::OfRun);
    /// As it was seen last.
    const FolderSeen& folder() const { return m_folder; }

private:
    void lookAtFolder(Moment at, Doing doing);

    const SupervisedRun& m_run;
    HistoryFile& m_history;
    FolderReader m_reader;
    FolderSeen m_folder;
    bool m_hasSeen = false;
};

} // namespace trainyard::soak
