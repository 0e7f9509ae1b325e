#pragma once

#include <memory>

#include <QElapsedTimer>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "tests/support/lab/lab_host.h"

/// Starts `trainyard <arguments>` on a host of a lab. `environment`: "NAME=value" beside HOME and PATH;
/// TRAINYARD_DATA says whose desk it is. What it says goes to <folder of the desk>.log.
std::unique_ptr<QProcess> startDesk(const trainyard::lab::LabHost& machine, const QStringList& environment,
                                    const QStringList& arguments);

/// `trainyard attach` on a host of a lab: a desk without a window that follows a run of another host over
/// real ssh and keeps its mirror on that host's disk.
class DeskProcess {
public:
    struct Options {
        QString run;
        QString head;                  ///< address of the run's first host
        QString folder = "/root/desk"; ///< of the desk's files, on its own machine
        QStringList environment = {};
    };
    DeskProcess(trainyard::lab::LabHost& machine, const Options& options);
    ~DeskProcess();

    /// Starts it when it is not at work, at most once a second.
    void keepUp();
    bool isAtWork() const { return m_process && m_process->state() != QProcess::NotRunning; }
    /// The process itself, as this machine counts; 0 = it is not at work.
    qint64 pid() const;
    /// Waits for its end, which comes after the run's, and follows the whole run once more. False when either
    /// did not end.
    bool finish();

    /// The mirror of a stream, and what the desk said, as this machine reaches them.
    QString mirror(const QString& stream) const;
    QString log() const { return m_machine.path(m_options.folder + ".log"); }

private:
    void start();

    trainyard::lab::LabHost& m_machine;
    Options m_options;
    std::unique_ptr<QProcess> m_process;
    QElapsedTimer m_sinceStart;
};
