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

/// Where the links of a desk get secrets from: what the person gave before and allowed to use again, then the
/// keyring, then the person, who is asked one question at a time. An answer serves other links only after a
/// host has accepted it (they wait that long), so that a wrong one is offered once and not by every link;
/// what a host denied is forgotten in memory and keyring. Secrets live in locked memory as long as this does
/// and are never written anywhere but to the keyring, and there only where the person wants it. GUI thread.
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

    /// Without one (the default) nothing is kept.
    void setKeyring(std::unique_ptr<Keyring> keyring);
    bool hasKeyring() const { return m_keyring && m_keyring->isPresent(); }
    /// Answers what this link asks from here on.
    void watch(Target& target);

    /// The person's answer to asked(); nothing = she does not answer. No effect when nothing is asked.
    void answer(std::optional<Answer> answer);
    /// Forgets what is in memory.
    void forget() { m_memory.clear(); }

signals:
    void asked(const trainyard::LoginQuestion& question);
    /// The link of the question that was asked last has ended: no answer is wanted any more.
    void withdrawn();

private:
    struct Open {
        QPointer<Target> target;
        LoginQuestion question;
    };
    /// An answer that no host has accepted yet.
    struct Unproven {
        QPointer<Target> target;
        QString account; ///< of the hop that it was given to
        QString name;    ///< see nameOf()
        ssh::Secret secret;
        bool keepInKeyring = false;
    };
    enum class Stage { Idle, Keyring, Person };

    void add(Target& target, const LoginQuestion& question);
    void next();
    void begin(const LoginQuestion& question);
    void askPerson();
    bool answerFromMemory(const LoginQuestion& question);
    void answerFromKeyring(const QString& name, std::optional<ssh::Secret> secret);
    void finish(ssh::LoginAnswers answers);
    bool isHeldBack(const LoginQuestion& question) const;
    void drop(const Target* target);
    void onLoggedIn(const Target& target, const QString& account);

    std::unique_ptr<Keyring> m_keyring;
    std::map<QString, ssh::Secret> m_memory; ///< by nameOf()
    std::deque<Open> m_waiting;              ///< the first one is being answered unless Idle
    std::vector<Unproven> m_unproven;
    Stage m_stage = Stage::Idle;
    quint64 m_turn = 0; ///< counts questions, so that a late answer of the keyring finds no other one
};

} // namespace trainyard
