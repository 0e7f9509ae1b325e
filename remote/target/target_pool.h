#pragma once

#include <map>
#include <memory>

#include <QObject>
#include <QString>

#include "remote/target/credential_broker.h"
#include "remote/target/target.h"

namespace trainyard {

/// All links of this desk: one Target per host, made at the first question and shared by every page.
/// Pages connect to targetAdded to answer host keys, and one place answers logins(). GUI thread.
class TargetPool : public QObject {
    Q_OBJECT

public:
    explicit TargetPool(TargetOptions options = {}, QObject* parent = nullptr);
    ~TargetPool() override;

    /// The host's target, opened at the first question; lives until the pool dies or forget(). One that was
    /// refused stays so until somebody opens it again: a wrong key must not be offered over and over.
    Target& target(const QString& host);
    /// The host's target when there is one already.
    Target* find(const QString& host) const;
    QList<Target*> targets() const;
    /// Where the links get passwords and passphrases from.
    CredentialBroker& logins() { return m_logins; }
    /// Closes and removes the link (the user removed the host). No effect on what runs there.
    void forget(const QString& host);

signals:
    void targetAdded(trainyard::Target* target);

private:
    TargetOptions m_options;
    CredentialBroker m_logins; ///< before the links, which it watches
    std::map<QString, std::unique_ptr<Target>> m_targets;
};

} // namespace trainyard
