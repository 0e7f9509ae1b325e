#pragma once

#include <vector>

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>
#include <QTemporaryDir>

namespace trainyard {

/// Runs a scenario of stand_in_rank on some processes, with the stand-ins below the real plug-in.
class StandInJob {
public:
    StandInJob(QString scenario, int ranks);

    /// In the environment of every rank, or of one.
    StandInJob& with(const QString& name, const QString& value);
    StandInJob& withRank(int rank, const QString& name, const QString& value);
    /// For every collective; ten minutes if it is not given.
    StandInJob& limit(int seconds);

    /// Runs it until all ranks have ended, except for one that need not; whoever is left then is killed.
    void run(int exceptRank = -1);

    /// Exit status, or 128 + signal; -1 when it did not end and had to be killed.
    int status(int rank) const { return m_statuses.at(static_cast<std::size_t>(rank)); }
    QString log(int rank) const;
    /// What the stand-ins found, of all ranks.
    QString findings() const;

private:
    const QString m_scenario;
    int m_seconds = 600;
    QTemporaryDir m_folder;
    std::vector<QProcessEnvironment> m_environments;
    std::vector<int> m_statuses;
};

} // namespace trainyard
