#pragma once

#include <memory>

#include <QStringList>

#include "tests/support/lab/netns_lab.h"

namespace trainyard::lab {

/// A small cluster of Slurm's: a login host that also holds the controller, and nodes with two cores and, by
/// name only, two GPUs each.
/// All share the home folder and nothing else. Partitions: "main" (all nodes, an hour), "short" (one node of
/// the first, ten minutes) and "urgent" (all nodes; its jobs preempt those of the others, which are
/// requeued). Daemons and jobs end with their hosts.
class SlurmLab {
public:
    /// Why this machine cannot have it, as a sentence for QSKIP; empty when it can.
    static QString whyNot();

    explicit SlurmLab(int nodes = 2);
    /// Empty when the controller answers and every node is idle.
    QString start();

    NetnsLab& hosts() { return m_lab; }
    LabHost& login() { return m_lab.host(0); }
    LabHost& node(int index) { return m_lab.host(1 + index); }
    int nodeCount() const { return m_lab.hostCount() - 1; }
    /// Of `node`, as Slurm calls it.
    QString nodeName(int index) { return node(index).name(); }

    /// One of Slurm's commands on the login host.
    Finished slurm(const QStringList& command) { return login().run(command); }
    /// "JobState", "Restarts", ... of a job; empty when Slurm does not know it.
    QString jobField(const QString& job, const QString& field);
    /// A job that was requeued waits two minutes: not this one.
    void hurry(const QString& job);

    QString startController();
    /// It keeps its state, as when its service is stopped.
    void stopController();
    /// slurmd of a node, killed and started again. Its jobs' steps are processes of their own and go on.
    void killNodeDaemon(int index);
    QString startNodeDaemon(int index);
    /// How long mpirun lets ranks live that it ends: 2 s each time, which is how the lab begins, or as long as
    /// the product says (10 s). For what is started from now on.
    void endRanksQuickly(bool quickly);
    /// Every node is idle; false when they are not in time.
    bool awaitIdle();
    /// After a test that failed half-way: links, daemons, and no jobs any more. Empty, or what went wrong.
    QString mend();

private:
    QByteArray configuration() const;
    QString prepare(LabHost& host);
    void endRecorded(LabHost& host, const QString& pidFile, const QString& signal);

    NetnsLab m_lab;
};

} // namespace trainyard::lab
