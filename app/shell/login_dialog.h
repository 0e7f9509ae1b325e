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

/// Asks for a passphrase, a password or the prompts of a host at a login: secrets are the only input worth a
/// dialog. Text from a host is plain and set apart from ours. Input is visible only where the host allows it.
/// Open it with open(); finished() reports the answer.
class LoginDialog : public QDialog {
    Q_OBJECT
public:
    enum class Keyring { Absent, Present };
    LoginDialog(const ssh::LoginInquiry& question, Keyring keyring, QWidget* parent = nullptr);

    /// Moves the answer out of the fields and clears them; nullopt when the dialog was not accepted. Call it
    /// once.
    std::optional<CredentialBroker::Answer> takeAnswer();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeForm(const ssh::LoginInquiry& question);
    QWidget* makeHostsWords(const ssh::LoginInquiry& question);
    QWidget* makePrompts(const ssh::LoginInquiry& question);
    QWidget* makeChoices(const ssh::LoginInquiry& question, Keyring keyring);
    QWidget* makeButtons(const ssh::LoginInquiry& question);

    QScrollArea* m_form;        ///< scrolled only when a host says very much
    QList<QLineEdit*> m_fields; ///< one for each prompt
    QCheckBox* m_useAgain;
    QCheckBox* m_keep;
};

} // namespace trainyard
