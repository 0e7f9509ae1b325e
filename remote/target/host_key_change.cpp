#include "remote/target/host_key_change.h"

#include "remote/ssh/known_hosts_writer.h"

namespace trainyard {

Status removeOldKeys(const HostKeyChange& change)
{
    QStringList files;
    for (const HostKeyChange::Known& known : change.known) {
        if (!change.userFiles.contains(known.file))
            return refused(QString("the old key of %1 is in %2, line %3, which you cannot edit")
                               .arg(change.host, known.file)
                               .arg(known.line)
                               .toStdString(),
                           "ask the administrator of this machine");
        if (!files.contains(known.file))
            files << known.file;
    }
    for (const QString& file : files)
        TRAINYARD_TRY_STATUS(ssh::canForgetHost(file.toStdString(), change.host.toStdString()));
    for (const QString& file : files)
        TRAINYARD_TRY_STATUS(ssh::forgetHost(file.toStdString(), change.host.toStdString()));
    return {};
}

} // namespace trainyard
