#include "tests/support/lab/lab_pids.h"

#include <QDir>
#include <QFile>

namespace trainyard::lab {

namespace {

QByteArray read(qint64 pid, const char* file)
{
    QFile source(QString("/proc/%1/%2").arg(pid).arg(file));
    return source.open(QIODevice::ReadOnly) ? source.readAll() : QByteArray();
}

QByteArray field(const QByteArray& status, const QByteArray& name)
{
    for (const QByteArray& line : status.split('\n')) {
        if (line.startsWith(name + ':'))
            return line.mid(name.size() + 1).simplified();
    }
    return {};
}

LabProcess describe(qint64 pid)
{
    const QByteArray status = read(pid, "status");
    LabProcess process;
    process.pid = pid;
    process.inside = field(status, "NSpid").split(' ').last().toLongLong();
    process.parent = field(status, "PPid").toLongLong();
    process.name = field(status, "Name");
    process.commandLine = read(pid, "cmdline").replace('\0', ' ').trimmed();
    return process;
}

/// A process's children belong to whichever of its threads started them.
QList<qint64> childrenOf(qint64 pid)
{
    QList<qint64> children;
    const QDir tasks(QString("/proc/%1/task").arg(pid));
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        for (const QByteArray& child :
             read(pid, qPrintable("task/" + task + "/children")).simplified().split(' ')) {
            if (!child.isEmpty())
                children << child.toLongLong();
        }
    }
    return children;
}

} // namespace

QList<LabProcess> processTree(qint64 root)
{
    QList<LabProcess> tree;
    QList<qint64> next{root};
    while (!next.isEmpty()) {
        const qint64 pid = next.takeFirst();
        const LabProcess process = describe(pid);
        if (process.parent == 0)
            continue; // it ended meanwhile
        tree << process;
        next << childrenOf(pid);
    }
    return tree;
}

} // namespace trainyard::lab
