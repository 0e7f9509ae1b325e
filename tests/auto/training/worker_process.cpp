#include "tests/auto/training/worker_process.h"

#include <QElapsedTimer>
#include <QThread>

namespace trainyard {

QStringList WorkerLaunch::arguments() const
{
    QStringList arguments{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none"};
    for (const Part& part : parts) {
        if (arguments.size() > 4)
            arguments << ":";
        if (!part.workingDirectory.empty())
            arguments << "-wdir" << QString::fromStdString(part.workingDirectory.string());
        arguments << "-np" << QString::number(part.ranks) << TRAINYARD_BIN_DIR "/trainyard-worker"
                  << "train"
                  << "--run-dir" << QString::fromStdString(part.runDirectory.string()) << "--attempt"
                  << QString::number(attempt);
        if (lastStep > 0)
            arguments << "--steps" << QString::number(lastStep);
    }
    return arguments;
}

int runWorkers(const WorkerLaunch& launch, int seconds)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("mpirun", launch.arguments());
    const bool ended = process.waitForFinished(seconds * 1000);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    const int status = ended ? process.exitCode() : -1;
    if (status != 0)
        qInfo("mpirun, status %d: %s", status, process.readAll().constData());
    return status;
}

bool waitFor(const std::function<bool()>& condition, int seconds)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < seconds * 1000) {
        if (condition())
            return true;
        QThread::msleep(5);
    }
    return false;
}

} // namespace trainyard
