#include "tests/support/lab/lab_process.h"

#include <QProcess>

namespace trainyard::lab {

Finished runCommand(const QStringList& command, const QByteArray& input, int patienceMs)
{
    QProcess process;
    process.start(command.first(), command.mid(1));
    process.write(input);
    process.closeWriteChannel();
    Finished result;
    if (process.waitForFinished(patienceMs)) {
        result.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    } else {
        process.kill();
        process.waitForFinished();
    }
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

} // namespace trainyard::lab
