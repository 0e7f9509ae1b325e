#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace trainyard {

/// A field for the expected fingerprint, as an administrator or a cloud console gave it, which compares it
/// with the presented one.
class FingerprintField : public QWidget {
    Q_OBJECT
public:
    /// `shown`: "SHA256:…", as presented by the host.
    explicit FingerprintField(const QString& shown, QWidget* parent = nullptr);

signals:
    /// True when the entered fingerprint differs from the presented one; an empty field does not.
    void contradicted(bool contradicts);

private:
    void compare();

    QString m_shown;
    QLineEdit* m_expected;
    QLabel* m_verdict;
};

/// Compares two fingerprints. `expected` may lack "SHA256:", end with '=' or be a whole line of `ssh-keygen
/// -l`.
bool isSameFingerprint(const QString& expected, const QString& shown);

} // namespace trainyard
