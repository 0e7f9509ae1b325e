#pragma once

#include <QString>
#include <QStringList>

namespace trainyard {

/// Returns the host names in an ssh client configuration, for completion: every `Host` word without wildcard
/// or negation, in order and without duplicates. Follows `Include` (patterns relative to the file's folder)
/// and skips unreadable files: completion is a convenience, the connection itself asks ssh.
QStringList sshConfigHosts(const QString& file);

/// Returns the path of the user's own configuration file.
QString userSshConfig();

} // namespace trainyard
