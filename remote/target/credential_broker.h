#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>

#include "remote/target/keyring.h"
#include "remote/target/target.h"

namespace trainyard {

/// Provides secrets to the links: earlier answers that the person allowed to reuse, then the keyring, then
/// the person, who is asked one question at a time. An answer is used for other links only after a host has
/// accepted it (they wait for that), so that a wrong one is offered once and not by every link; a denied one
/// is removed from memory and keyring. Secrets are kept in locked memory for the lifetime of this object and
/// written only to the keyring, if the person wants that. GUI thread.
class CredentialBroker : public QObject {
    Q_OBJECT

public:
    struct Answer {
        std::vector<ssh::Secret> secrets; ///< one for each prompt
        bool useAgain = false;            ///< for other links, and when this one has to come back
        bool keepInKeyring = false;
    };

    explicit CredentialBroker(QObject* parent = nullptr);
    ~CredentialBroker() override;

    /// Without a keyring (the default) nothing is stored.
    void setKeyring(std::unique_ptr<Keyring> keyring);
    bool hasKeyring() const { return m_keyring && m_keyring->isPresent(); }
    /// Answers the questions of this link from now on.
    void watch(Target& target);

    /// The person's answer to asked(); nullopt = declined. No effect when nothing is asked.
    void answer(std::optional<Answer> answer);
    /// Clears the secrets in memory.
    void forget() { m_memory.clear(); }

signals:
    void asked(const trainyard::ssh::LoginInquiry& question);
    /// The link with the last question has ended: the answer is no longer needed.
    void withdrawn();

private:
    struct Open {
        QPointer<Target> target;
        ssh::LoginInquiry question;
    };
    /// An answer that no host has accepted yet.
    struct Unproven {
        QPointer<Target> target;
        std::string account; ///< of the hop that it was given to
        QString name;        ///< see nameOf()
        ssh::Secret secret;
        bool keepInKeyring = false;
    };
    enum class Stage { Idle, Keyring, Person };

    void add(Target& target, const ssh::LoginInquiry& question);
    void next();
    void begin(const ssh::LoginInquiry& question);
    void askPerson();
    bool answerFromMemory(const ssh::LoginInquiry& question);
    void answerFromKeyring(const QString& name, std::optional<ssh::Secret> secret);
    void finish(ssh::LoginAnswers answers);
    bool isHeldBack(const ssh::LoginInquiry& question) const;
    void drop(const Target* target);
    void onLoggedIn(const Target& target, const std::string& account);

    std::unique_ptr<Keyring> m_keyring;
    std::map<QString, ssh::Secret> m_memory; ///< by nameOf()
    std::deque<Open> m_waiting;              ///< the first one is being answered unless Idle
    std::vector<Unproven> m_unproven;
    Stage m_stage = Stage::Idle;
    quint64 m_turn = 0; ///< counts questions, so that a late answer of the keyring finds no other one
};

} // namespace trainyard
