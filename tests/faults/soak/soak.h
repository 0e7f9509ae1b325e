#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <QElapsedTimer>

#include "tests/faults/desk_process.h"
#include "tests/faults/small_training.h"
#include "tests/faults/soak/history.h"
#include "tests/faults/soak/nemesis.h"
#include "tests/faults/soak/witness.h"
#include "tests/faults/supervised_run.h"

namespace trainyard::soak {

/// A training run on three hosts with one rank each, followed by a desk on a fourth one, while faults come
/// and go; then the same run undisturbed. Says nothing about what it sees: that is in the history. Every
/// function gives empty, or why the soak cannot go on.
class Soak {
public:
    Soak(std::uint64_t seed, const QString& historyFile);
    ~Soak();

    /// The hosts are up and have the data set.
    QString prepare();
    /// Starts the run, injects the faults of the seed's plan, and goes on with the run whenever it ended.
    QString disturb(std::chrono::seconds length);
    /// Everything is healed: the run makes steps again, is stopped, and the desk catches up.
    QString conclude();
    /// As many steps as the disturbed run made.
    QString follow();

    /// "seed 7: 14 faults, 5 attempts, 4711 steps"; after conclude().
    QString summary() const;

private:
    Moment now() const { return m_clock.elapsed(); }
    RunSpec spec() const;
    void attendFor(std::chrono::milliseconds length);
    bool attendUntil(const std::function<bool()>& condition);
    void attend();
    void look();
    void goOn();
    void keepRecords();
    void keepWhatIsLeft();

    std::uint64_t m_seed;
    HistoryFile m_history;
    QElapsedTimer m_clock;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<SmallTraining> m_training;
    std::unique_ptr<SupervisedRun> m_run;
    std::unique_ptr<DeskProcess> m_desk;
    std::unique_ptr<Witness> m_witness;
    std::unique_ptr<Nemesis> m_nemesis;
    Moment m_nextLook = 0, m_nextTry = 0;
    int m_faults = 0;             ///< that were injected
    std::uint32_t m_attempts = 0; ///< of the disturbed run
    std::int64_t m_steps = 0;     ///< the newest that it made
};

} // namespace trainyard::soak
