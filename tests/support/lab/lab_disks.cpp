#include "tests/support/lab/lab_disks.h"

#include <QFileInfo>

#include "engine/base/check.h"
#include "tests/support/lab/lab_process.h"

namespace trainyard::lab {

namespace {

// $1 = size of the shared folder, $2 = an empty folder, then the trees. They are mounted before /mnt hides
// what may lie there. Ends with its standard input.
constexpr const char* kHold = R"(
set -e
size=$1 disks=$2
shift 2
mount -t tmpfs -o size=4m,mode=755 lab "$disks"
mkdir "$disks/shared" "$disks/trees"
mount -t tmpfs -o "size=$size,mode=755" lab "$disks/shared"
number=0
for tree; do
    mkdir "$disks/trees/$number"
    mount --bind "$tree" "$disks/trees/$number"
    mount -o remount,bind,ro "$disks/trees/$number"
    number=$((number + 1))
done
mount --move "$disks" /mnt
echo ready
read -r end
)";

} // namespace

QStringList visibleTrees()
{
    const QStringList needed{QStringLiteral(TRAINYARD_BUILD_DIR), QStringLiteral(TRAINYARD_TORCH_LIB),
                             QStringLiteral(TRAINYARD_DEPS)};
    QStringList trees;
    for (const QString& tree : needed) {
        if (QFileInfo(tree).isDir()) // first where it really is: a link may lead into a hidden folder
            trees << QFileInfo(tree).canonicalFilePath() << tree;
    }
    trees.removeDuplicates();
    return trees;
}

QString seenInHosts(const QString& path)
{
    const QString build = QStringLiteral(TRAINYARD_BUILD_DIR);
    TRAINYARD_CHECK(path.startsWith(build + '/'));
    return "/mnt/build" + path.mid(build.size());
}

LabDisks::~LabDisks()
{
    m_holder.closeWriteChannel();
    if (m_holder.state() != QProcess::NotRunning)
        m_holder.waitForFinished(kPatienceMs);
}

QString LabDisks::start(const QString& sharedSize, const QString& folder, const QStringList& trees)
{
    const QStringList arguments{"--mount", "--propagation", "private",  "sh",  "-c",
                                kHold,     "disks",         sharedSize, folder};
    m_holder.start("unshare", arguments + trees);
    if (!m_holder.waitForReadyRead(kPatienceMs) || !m_holder.readAllStandardOutput().contains("ready"))
        return "the lab's disks cannot be made: " + m_holder.readAllStandardError();
    return {};
}

QString LabDisks::mountNamespace() const
{
    return QString("/proc/%1/ns/mnt").arg(m_holder.processId());
}

} // namespace trainyard::lab
