#pragma once

#include <map>
#include <memory>

#include <QObject>
#include <QString>

#include "remote/target/credential_broker.h"
#include "remote/target/target.h"

namespace trainyard {

/// All links of this application: one Target per host, created on first use and shared by every page. Pages
/// connect to targetAdded to answer host keys, and one place answers logins(). GUI thread.
class TargetPool : public QObject {
    Q_OBJECT

public:
    explicit TargetPool(TargetOptions options = {}, QObject* parent = nullptr);
    ~TargetPool() override;

    /// Returns the host's target, opened on first use; it lives until the pool is destroyed or forget(). A
    /// refused target stays so until it is opened again: a wrong key must not be offered repeatedly.
    Target& target(const QString& host);
    /// Returns the host's target if it exists.
    Target* find(const QString& host) const;
    QList<Target*> targets() const;
    /// Provides passwords and passphrases to the links.
    CredentialBroker& logins() { return m_logins; }
    /// Closes and removes the link (the user removed the host). Runs there are unaffected.
    void forget(const QString& host);

signals:
    void targetAdded(trainyard::Target* target);

private:
    TargetOptions m_options;
    CredentialBroker m_logins; ///< before the links, which it watches
    std::map<QString, std::unique_ptr<Target>> m_targets;
};

} // namespace trainyard
