#pragma once

#include <filesystem>

#include <QSet>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// The names of the secrets that the system's keyring keeps for this desk: a JSON list in keyring.json, which
/// holds no secret. A file of the desk by the rule in desk_file.h: a damaged one is set aside before another
/// one is written, one that cannot be read stays as it is. GUI thread.
class KeyringIndex {
public:
    /// Reads `file`; a missing one is an empty list.
    explicit KeyringIndex(std::filesystem::path file);

    /// Reads the file again, because other windows write it too. BadInput when it is damaged, Refused when it
    /// cannot be read or a newer version wrote it; the names are those known before then.
    const Status& refresh();
    /// What the last reading or writing came to.
    const Status& status() const { return m_status; }

    bool contains(const QString& name) const { return m_names.contains(name); }
    /// Known to this desk from here on, even when the file cannot be written.
    Status add(const QString& name);
    /// Writes nothing when the name is not in the list.
    Status remove(const QString& name);

private:
    Status write();

    std::filesystem::path m_file;
    QSet<QString> m_names;
    Status m_status;
};

} // namespace trainyard
