#include "tests/support/lab/lab_disks.h"

#include "tests/support/lab/lab_process.h"

namespace trainyard::lab {

namespace {

// $1 = size of the shared folder. Ends with its standard input.
constexpr const char* kHold = R"(
set -e
mount -t tmpfs -o size=4m,mode=755 lab /mnt
mkdir /mnt/shared
mount -t tmpfs -o "size=$1,mode=755" lab /mnt/shared
echo ready
read -r end
)";

} // namespace

LabDisks::~LabDisks()
{
    m_holder.closeWriteChannel();
    if (m_holder.state() != QProcess::NotRunning)
        m_holder.waitForFinished(kPatienceMs);
}

QString LabDisks::start(const QString& sharedSize)
{
    m_holder.start("unshare",
                   {"--mount", "--propagation", "private", "sh", "-c", kHold, "disks", sharedSize});
    if (!m_holder.waitForReadyRead(kPatienceMs) || !m_holder.readAllStandardOutput().contains("ready"))
        return "the lab's disks cannot be made: " + m_holder.readAllStandardError();
    return {};
}

QString LabDisks::mountNamespace() const
{
    return QString("/proc/%1/ns/mnt").arg(m_holder.processId());
}

} // namespace trainyard::lab
