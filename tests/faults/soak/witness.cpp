#include "tests/faults/soak/witness.h"

#include <utility>

#include <QFile>

#include "engine/records/fence.h"

namespace trainyard::soak {

namespace {

/// The attempt that a process works for, as its environment says, 0 when it says none; nothing for a process
/// that has ended and only lets go of its memory: that has no environment any more.
std::optional<std::uint32_t> attemptOf(const lab::LabProcess& process)
{
    QFile file(QString("/proc/%1/environ").arg(process.pid));
    const QByteArray environment = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    if (environment.isEmpty())
        return std::nullopt;
    for (const QByteArray& entry : environment.split('\0')) {
        if (entry.startsWith("TRAINYARD_ATTEMPT="))
            return entry.mid(entry.indexOf('=') + 1).toUInt();
    }
    return 0;
}

std::vector<std::vector<std::uint32_t>> ranksOf(const SupervisedRun& run)
{
    std::vector<std::vector<std::uint32_t>> ranks;
    for (int host = 0; host < run.hostCount(); ++host) {
        auto& attempts = ranks.emplace_back();
        for (const lab::LabProcess& rank : run.processes(host, "trainyard-worker")) {
            if (const auto attempt = attemptOf(rank))
                attempts.push_back(*attempt);
        }
    }
    return ranks;
}

bool isNews(FolderSeen before, const FolderSeen& now)
{
    before.byNemesis = now.byNemesis;
    return !(before == now);
}

} // namespace

Witness::Witness(const SupervisedRun& run, HistoryFile& history)
    : m_run(run), m_history(history), m_reader(run.folder().checkpoints())
{
}

void Witness::look(Moment at, Doing doing)
{
    auto ranks = ranksOf(m_run);
    lookAtFolder(at, doing);
    const agent::RunStatus status = m_run.status();
    m_history.add(at, Looked{newestAttempt(m_run.folder().path()), status.attempt,
                             std::string(nameOf(status.state)), std::move(ranks)});
}

void Witness::lookAtFolder(Moment at, Doing doing)
{
    if (doing == Doing::OfNemesis)
        m_reader.forget(); // a file may look as before in all but its bytes
    auto seen = m_reader.read();
    if (!seen)
        return; // in the next look, then
    seen->byNemesis = doing == Doing::OfNemesis;
    if (!m_hasSeen || seen->byNemesis || isNews(m_folder, *seen))
        m_history.add(at, *seen);
    m_hasSeen = true;
    m_folder = *std::move(seen);
}

} // namespace trainyard::soak
