#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace trainyard {

/// A field for the fingerprint that the person expects, as an administrator or a cloud console gave it, and
/// what it says beside the one that was shown.
class FingerprintField : public QWidget {
    Q_OBJECT
public:
    /// `shown` = "SHA256:…", of the host that answers.
    explicit FingerprintField(const QString& shown, QWidget* parent = nullptr);

signals:
    /// Whether what was entered speaks against the host; an empty field does not.
    void contradicted(bool contradicts);

private:
    void compare();

    QString m_shown;
    QLineEdit* m_expected;
    QLabel* m_verdict;
};

/// The same fingerprint? `expected` may lack "SHA256:", end with '=' or be a whole line of `ssh-keygen -l`.
bool isSameFingerprint(const QString& expected, const QString& shown);

} // namespace trainyard
