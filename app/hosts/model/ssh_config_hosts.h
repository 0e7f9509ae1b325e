#pragma once

#include <QString>
#include <QStringList>

namespace trainyard {

/// The host names that an ssh client configuration gives, for completion: every `Host` word without wildcard
/// or negation, in order, each once; `Include` is followed (patterns relative to the file's folder). What
/// cannot be read is left out: completion is a convenience, the connection itself asks ssh.
QStringList sshConfigHosts(const QString& file);

/// The user's own configuration file.
QString userSshConfig();

} // namespace trainyard
