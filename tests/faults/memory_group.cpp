#include "tests/faults/memory_group.h"

#include <QDir>
#include <QFile>
#include <unistd.h>

namespace {

const QString kMount = "/sys/fs/cgroup/memory";

bool write(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write(text) == text.size();
}

/// Of this process, below the mount.
QString ownGroup()
{
    QFile file("/proc/self/cgroup");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.contains(":memory:"))
            return QString::fromUtf8(line.mid(line.lastIndexOf(':') + 1));
    }
    return {};
}

QString groupFolder()
{
    return kMount + ownGroup() + QString("/trainyard-%1").arg(::getpid());
}

} // namespace

QString MemoryGroup::whyNot()
{
    if (::geteuid() != 0 || ownGroup().isEmpty() || !QDir().mkdir(groupFolder()))
        return "needs root and the memory controller of control groups, version 1";
    QDir().rmdir(groupFolder());
    return {};
}

MemoryGroup::MemoryGroup(trainyard::Bytes limit) : m_path(groupFolder())
{
    QDir().mkdir(m_path);
    write(m_path + "/memory.limit_in_bytes", QByteArray::number(quint64(limit)));
}

MemoryGroup::~MemoryGroup()
{
    QDir().rmdir(m_path);
}

bool MemoryGroup::take(qint64 pid)
{
    return write(m_path + "/cgroup.procs", QByteArray::number(pid));
}

int MemoryGroup::kills() const
{
    QFile file(m_path + "/memory.oom_control");
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("oom_kill "))
            return line.mid(9).toInt();
    }
    return 0;
}
