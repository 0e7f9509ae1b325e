#pragma once

#include <deque>
#include <vector>

#include "tests/faults/desk_process.h"
#include "tests/faults/soak/checkpoint_harm.h"
#include "tests/faults/soak/fault_plan.h"
#include "tests/faults/soak/history.h"
#include "tests/faults/soak/witness.h"
#include "tests/faults/supervised_run.h"

namespace trainyard::soak {

/// Injects the faults of a plan into a run and its desk, and takes them back.
class Nemesis {
public:
    struct Disturbed {      ///< all outlive the nemesis
        lab::NetnsLab& lab; ///< its hosts are those of the run, and behind them the desk's machine
        SupervisedRun& run;
        DeskProcess& desk;
        Witness& witness;
    };
    Nemesis(const Disturbed& disturbed, std::vector<PlannedFault> plan, HistoryFile& history);

    /// Does what is due now; each thing done comes into the history.
    void act(Moment now);
    /// Takes back whatever still lasts.
    void healAll(Moment now);
    int injected() const { return m_injected; }

private:
    struct Lasting {
        PlannedFault fault;
        Moment until = 0;
        QList<qint64> processes; ///< that stand still
    };
    /// A fault of the checkpoints, and what makes the run restart then.
    struct Stroke {
        PlannedFault harm;
        PlannedFault blow;
    };

    void healWhatIsOver(Moment now);
    void takeFromPlan(Moment now);
    bool begin(const PlannedFault& fault, Moment now);
    bool isAtWork() const;
    bool hasPublishedAnew() const;
    void askForCheckpoint(Moment now);
    void strike(const Stroke& stroke, Moment now);
    bool isOff(int host) const;
    bool canBeHealed(const Lasting& lasting) const;
    QList<qint64> writers() const;

    /// What was done, in a few words; empty when there was nothing to do it to.
    QString inject(const PlannedFault& fault, QList<qint64>& suspended);
    void healAndTell(const Lasting& lasting, Moment now);
    void heal(const Lasting& lasting, Moment now);
    void showCheckpoints(FaultKind kind, Moment now);
    QList<qint64> victims(const PlannedFault& fault) const;
    QString setLink(int host, const link::LinkConditions& conditions);
    QString fillDisk(int host);
    QString switchOff(int host);
    void switchOn(int host);
    QString setClock(int host, int secondsAhead);

    lab::NetnsLab& m_lab;
    SupervisedRun& m_run;
    DeskProcess& m_desk;
    Witness& m_witness;
    HistoryFile& m_history;
    CheckpointHarm m_harm;
    std::vector<PlannedFault> m_plan;
    std::size_t m_next = 0;
    std::deque<Stroke> m_strokes;                ///< that are due, and wait for a run that is at work
    Moment m_nextRequest = 0;                    ///< for a checkpoint
    std::uint32_t m_struckAttempt = 0;           ///< the one that the last stroke ends
    std::vector<std::string> m_completeAtStroke; ///< behind the last stroke
    std::vector<Lasting> m_lasting;
    int m_injected = 0;
};

} // namespace trainyard::soak
