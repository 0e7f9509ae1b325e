#pragma once

#include <filesystem>

#include <QObject>

#include "remote/target/keyring.h"
#include "remote/target/keyring_index.h"

namespace trainyard {

/// The keyring of the user's session (Secret Service or KWallet), by QtKeychain. A list of the names that are
/// kept, without anything secret, is in the desk data folder, so that the keyring is touched (and the
/// person asked to unlock it) only for what she chose to keep. A machine without one keeps nothing. What a
/// library of the system holds while it carries a secret is not in locked memory.
class SystemKeyring : public QObject, public Keyring {
    Q_OBJECT

public:
    /// `indexFile`: see KeyringIndex.
    explicit SystemKeyring(std::filesystem::path indexFile, QObject* parent = nullptr);

    bool isPresent() const override { return m_present; }
    bool holds(const QString& name) const override { return m_present && m_index.contains(name); }
    void read(const QString& name, std::function<void(std::optional<ssh::Secret>)> done) override;
    void write(const QString& name, const ssh::Secret& secret) override;
    void remove(const QString& name) override;
    /// Why the names of the kept secrets are not known: then the person is asked for each again.
    const Status& indexStatus() const { return m_index.status(); }

signals:
    /// A kept secret could not be stored: a sentence for the person.
    void failed(const QString& text);

private:
    void look();
    void tell(const Status& saved);

    KeyringIndex m_index;
    bool m_present = false;
};

} // namespace trainyard
