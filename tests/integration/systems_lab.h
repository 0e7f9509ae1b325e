#pragma once

#include <memory>

#include <QTemporaryDir>

#include "engine/spec/run_spec.h"
#include "remote/launch/run_service.h"
#include "tests/support/lab/netns_lab.h"

namespace trainyard {

/// A root file system that make-system makes, by its name.
lab::HostSystem systemOf(const QString& name);
/// Debian 12 as a container has it: read-only, with little shared memory, without ptrace.
lab::HostSystem containerSystem();
lab::HostSystem withShell(lab::HostSystem system, const QString& shell);
/// With a home on a disk of its own.
lab::HostSystem withHome(lab::HostSystem system, const QString& size, qint64 bytesPerSecond = 0);

/// Hosts of other systems than this machine's, with a bundled engine and a small data set on each. What
/// fails, fails the test that runs.
class SystemsLab {
public:
    SystemsLab();

    /// Makes the root file systems where they are missing. Empty, or why that cannot be done here.
    static QString make(const QList<lab::HostSystem>& systems);
    /// Bundles the engine and prepares the data set, once.
    void prepare();
    /// Hosts of these systems take the place of those before.
    void start(const QList<lab::HostSystem>& systems);
    void end() { m_lab.reset(); }

    lab::LabHost& host(int index) const { return m_lab->host(index); }
    QStringList addresses() const;
    lab::NetnsLab& netns() const { return *m_lab; }
    QString bundle() const { return m_dir.filePath("bundle"); }

    /// A small model on one rank of each of the first `hosts`, for so many steps.
    RunSpec spec(int hosts, int steps) const;
    /// Waits until an operation is over: the run's id, or empty; `error` says why, without it a warning.
    static QString await(RunOperation* operation, QString* error = nullptr);
    /// A file of a run on the first host.
    QString onHead(const QString& run, const QString& file) const;
    QList<StepRecord> stepsOf(const QString& run) const;
    bool runsUnder(int host, const QByteArray& program) const;

private:
    QTemporaryDir m_dir{"/dev/shm/trainyard-systems-XXXXXX"}; // the bundle has half a GiB: not on a slow disk
    std::unique_ptr<lab::NetnsLab> m_lab;
};

} // namespace trainyard
