#include "tests/faults/desk_process.h"

#include <csignal>

#include "tests/support/lab/lab_disks.h"
#include "tests/support/lab/lab_pids.h"

using namespace trainyard;

namespace {

constexpr qint64 kPauseMs = 1000; ///< between two starts
const QString kProgram = lab::seenInHosts(TRAINYARD_BIN_DIR "/trainyard");

QString valueOf(const QStringList& environment, const QString& name)
{
    return environment.filter(name + '=').value(0).mid(name.size() + 1);
}

} // namespace

std::unique_ptr<QProcess> startDesk(const lab::LabHost& machine, const QStringList& environment,
                                    const QStringList& arguments)
{
    const QString inside = QString::number(machine.pid());
    const QString log = machine.path(valueOf(environment, "TRAINYARD_DATA") + ".log");
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::MergedChannels);
    process->setStandardOutputFile(log, QIODevice::Append);
    process->start("env",
                   QStringList{"-i", "HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                               "nsenter", "--target", inside, "--all", "--wd=/proc/" + inside + "/root/root",
                               "env", "QT_QPA_PLATFORM=offscreen"} +
                       environment + QStringList{kProgram} + arguments);
    process->waitForStarted(kPatienceMs);
    return process;
}

DeskProcess::DeskProcess(lab::LabHost& machine, const Options& options)
    : m_machine(machine), m_options(options)
{
}

DeskProcess::~DeskProcess()
{
    if (const qint64 desk = pid(); desk > 0)
        ::kill(static_cast<pid_t>(desk), SIGKILL);
    if (m_process)
        m_process->waitForFinished(kPatienceMs);
}

void DeskProcess::start()
{
    m_process =
        startDesk(m_machine, QStringList{"TRAINYARD_DATA=" + m_options.folder} + m_options.environment,
                  {"attach", m_options.run, "--host", m_options.head});
    m_sinceStart.start();
}

void DeskProcess::keepUp()
{
    if (!isAtWork() && (!m_sinceStart.isValid() || m_sinceStart.elapsed() > kPauseMs))
        start();
}

qint64 DeskProcess::pid() const
{
    if (!isAtWork())
        return 0;
    for (const lab::LabProcess& process : lab::processTree(m_process->processId())) {
        if (process.commandLine.startsWith((kProgram + " attach").toUtf8()))
            return process.pid;
    }
    return 0;
}

bool DeskProcess::finish()
{
    if (isAtWork() && !m_process->waitForFinished(kPatienceMs))
        return false;
    start();
    return m_process->waitForFinished(kPatienceMs);
}

QString DeskProcess::mirror(const QString& stream) const
{
    return m_machine.path(m_options.folder + "/runs/" + m_options.run + "/journal/" + stream);
}
