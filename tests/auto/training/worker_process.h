#pragma once

#include <QProcess>
#include <QStringList>

#include <filesystem>
#include <functional>

namespace trainyard {

/// Command line of `trainyard-worker train` under mpirun: one part per kind of rank: ranks
/// with another run directory or working directory stand for another node.
struct WorkerLaunch {
    struct Part {
        int ranks;
        std::filesystem::path runDirectory;
        std::filesystem::path workingDirectory = {};
    };
    std::vector<Part> parts;
    int attempt = 1;
    int lastStep = 0; ///< 0 = the specification's

    QStringList arguments() const; ///< of mpirun
};

/// Runs mpirun to its end; the exit status, or -1 when it had to be killed after `seconds`. What was said
/// goes into the test's log unless the status is 0.
int runWorkers(const WorkerLaunch& launch, int seconds = 240);

/// Polls until the condition holds; false after `seconds`.
bool waitFor(const std::function<bool()>& condition, int seconds = 180);

} // namespace trainyard
