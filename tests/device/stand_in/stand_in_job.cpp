#include "tests/device/stand_in/stand_in_job.h"

#include <memory>

#include <QDeadlineTimer>
#include <QFile>
#include <QProcess>

#include "tests/support/patience.h"

namespace trainyard {

namespace {

QString content(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The stand-ins come first, and the libraries that LibTorch asks for by name.
QString preloaded()
{
    const QString folder = TRAINYARD_STAND_IN_LIBRARIES;
    return "libtrainyard_stand_in_cuda.so libtrainyard_stand_in_cudart.so libtrainyard_stand_in_nccl.so " +
           content(folder + "/names").split('\n').join(' ').simplified();
}

int statusOf(const QProcess& process)
{
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128 + process.exitCode();
}

} // namespace

StandInJob::StandInJob(QString scenario, int ranks)
    : m_scenario(std::move(scenario)), m_environments(ranks, QProcessEnvironment::systemEnvironment())
{
    const QString libraries = qEnvironmentVariable("LD_LIBRARY_PATH");
    with("LD_LIBRARY_PATH", TRAINYARD_STAND_IN_LIBRARIES + (libraries.isEmpty() ? "" : ":" + libraries));
    with("LD_PRELOAD", preloaded());
    with("TRAINYARD_STAND_IN_FINDINGS", m_folder.filePath("findings"));
    with("OMP_NUM_THREADS", "1");
}

StandInJob& StandInJob::with(const QString& name, const QString& value)
{
    for (QProcessEnvironment& environment : m_environments)
        environment.insert(name, value);
    return *this;
}

StandInJob& StandInJob::withRank(int rank, const QString& name, const QString& value)
{
    m_environments.at(static_cast<std::size_t>(rank)).insert(name, value);
    return *this;
}

StandInJob& StandInJob::limit(int seconds)
{
    m_seconds = seconds;
    return *this;
}

void StandInJob::run(int exceptRank)
{
    std::vector<std::unique_ptr<QProcess>> ranks;
    const int count = static_cast<int>(m_environments.size());
    for (int rank = 0; rank < count; ++rank) {
        ranks.push_back(std::make_unique<QProcess>());
        ranks.back()->setProcessEnvironment(m_environments[static_cast<std::size_t>(rank)]);
        ranks.back()->setProcessChannelMode(QProcess::ForwardedChannels);
        ranks.back()->start(TRAINYARD_STAND_IN_RANK,
                            {m_scenario, QString::number(rank), QString::number(count), m_folder.path(),
                             QString::number(m_seconds)});
    }
    m_statuses.clear();
    const QDeadlineTimer patience(kPatienceMs);
    for (int rank = 0; rank < count; ++rank) {
        QProcess& process = *ranks[static_cast<std::size_t>(rank)];
        const bool ended =
            rank != exceptRank && process.waitForFinished(static_cast<int>(patience.remainingTime()));
        m_statuses.push_back(ended ? statusOf(process) : -1);
    }
    for (const auto& rank : ranks) {
        if (rank->state() == QProcess::NotRunning)
            continue;
        rank->kill();
        rank->waitForFinished(kPatienceMs);
    }
}

QString StandInJob::log(int rank) const
{
    return content(m_folder.filePath(QString("%1.log").arg(rank)));
}

QString StandInJob::findings() const
{
    return content(m_folder.filePath("findings"));
}

} // namespace trainyard
