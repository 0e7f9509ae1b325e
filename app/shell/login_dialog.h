#pragma once

#include <optional>

#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QList>

#include "remote/target/credential_broker.h"

class QScrollArea;

namespace trainyard {

/// Asks for a passphrase, a password or what a host wants to know at a login: a secret is the one thing worth
/// a dialog. Everything that a host says is plain text and set apart from our own words. What is typed is
/// shown only where the host says so. Open it with open(); finished() tells when there is an answer.
class LoginDialog : public QDialog {
    Q_OBJECT
public:
    enum class Keyring { Absent, Present };
    LoginDialog(const LoginQuestion& question, Keyring keyring, QWidget* parent = nullptr);

    /// Moves the answer out of the fields, which are empty afterwards; nothing when it was not accepted.
    /// Once.
    std::optional<CredentialBroker::Answer> takeAnswer();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeForm(const LoginQuestion& question);
    QWidget* makeHostsWords(const LoginQuestion& question);
    QWidget* makePrompts(const LoginQuestion& question);
    QWidget* makeChoices(const LoginQuestion& question, Keyring keyring);
    QWidget* makeButtons(const LoginQuestion& question);

    QScrollArea* m_form;        ///< scrolled only when a host says very much
    QList<QLineEdit*> m_fields; ///< one for each prompt
    QCheckBox* m_useAgain;
    QCheckBox* m_keep;
};

} // namespace trainyard
