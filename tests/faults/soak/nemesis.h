#pragma once

#include <vector>

#include "tests/faults/desk_process.h"
#include "tests/faults/soak/fault_plan.h"
#include "tests/faults/soak/history.h"
#include "tests/faults/supervised_run.h"

namespace trainyard::soak {

/// Injects the faults of a plan into a run and its desk, and takes them back.
class Nemesis {
public:
    /// The hosts of `lab` are those of the run, and behind them the desk's machine. All outlive this object.
    Nemesis(lab::NetnsLab& lab, SupervisedRun& run, DeskProcess& desk, std::vector<PlannedFault> plan);

    /// Does what is due now; each thing done comes into `history`.
    void act(Moment now, HistoryFile& history);
    /// Takes back whatever still lasts.
    void healAll(Moment now, HistoryFile& history);
    int injected() const { return m_injected; }

private:
    struct Lasting {
        PlannedFault fault;
        QList<qint64> processes; ///< that stand still
    };

    /// What was done, in a few words; empty when there was nothing to do it to.
    QString inject(const PlannedFault& fault, QList<qint64>& suspended);
    void heal(const Lasting& lasting);
    QList<qint64> victims(const PlannedFault& fault) const;
    QString setLink(int host, const link::LinkConditions& conditions);
    QString fillDisk(int host);
    QString setClock(int host, int secondsAhead);

    lab::NetnsLab& m_lab;
    SupervisedRun& m_run;
    DeskProcess& m_desk;
    std::vector<PlannedFault> m_plan;
    std::size_t m_next = 0;
    std::vector<Lasting> m_lasting;
    int m_injected = 0;
};

} // namespace trainyard::soak
