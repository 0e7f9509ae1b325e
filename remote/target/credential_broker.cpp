#include "remote/target/credential_broker.h"

#include <algorithm>
#include <utility>

namespace trainyard {

namespace {

/// One secret opens one thing: a key file, or an account; empty = it is good for one time only.
QString nameOf(const ssh::LoginInquiry& question)
{
    if (!question.reusable || question.prompts.size() != 1)
        return {};
    return QString::fromStdString(question.kind == ssh::LoginInquiry::Kind::Passphrase
                                      ? "key " + question.keyFile
                                      : "account " + question.account);
}

std::vector<ssh::Secret> alone(ssh::Secret secret)
{
    std::vector<ssh::Secret> one;
    one.push_back(std::move(secret));
    return one;
}

} // namespace

CredentialBroker::CredentialBroker(QObject* parent) : QObject(parent) {}
CredentialBroker::~CredentialBroker() = default;

void CredentialBroker::setKeyring(std::unique_ptr<Keyring> keyring)
{
    m_keyring = std::move(keyring);
}

void CredentialBroker::watch(Target& target)
{
    connect(&target, &Target::loginNeeded, this,
            [this, &target](const ssh::LoginInquiry& question) { add(target, question); });
    connect(&target, &Target::attemptFailed, this, [this, &target] { drop(&target); });
    connect(&target, &Target::stateChanged, this, [this, &target](Target::State state) {
        if (state != Target::State::Connecting && state != Target::State::Ready)
            drop(&target);
    });
    connect(&target, &Target::loggedIn, this,
            [this, &target](const QString& account) { onLoggedIn(target, account.toStdString()); });
    connect(&target, &QObject::destroyed, this, [this, gone = &target] { drop(gone); });
}

void CredentialBroker::add(Target& target, const ssh::LoginInquiry& question)
{
    if (question.attempt > 1) {
        const QString name = nameOf(question);
        m_memory.erase(name);
        std::erase_if(m_unproven, [&](const Unproven& given) { return given.name == name; });
        if (m_keyring && m_keyring->holds(name))
            m_keyring->remove(name);
    }
    m_waiting.push_back({&target, question});
    next();
}

void CredentialBroker::next()
{
    while (m_stage == Stage::Idle) {
        const auto ready = std::find_if(m_waiting.begin(), m_waiting.end(),
                                        [this](const Open& open) { return !isHeldBack(open.question); });
        if (ready == m_waiting.end())
            return;
        std::rotate(m_waiting.begin(), ready, ready + 1);
        ++m_turn;
        begin(m_waiting.front().question);
    }
}

/// The same secret is being tried by another link.
bool CredentialBroker::isHeldBack(const ssh::LoginInquiry& question) const
{
    const QString name = nameOf(question);
    return std::any_of(m_unproven.begin(), m_unproven.end(),
                       [&](const Unproven& given) { return given.name == name; });
}

/// What is known needs no person. The look comes now and not when the question arrived, because the one
/// before may have brought the answer.
void CredentialBroker::begin(const ssh::LoginInquiry& question)
{
    const QString name = nameOf(question);
    if (question.attempt == 1 && answerFromMemory(question))
        return;
    if (question.attempt > 1 || name.isEmpty() || !m_keyring || !m_keyring->holds(name))
        return askPerson();
    m_stage = Stage::Keyring;
    m_keyring->read(name, [this, name, turn = m_turn](std::optional<ssh::Secret> secret) {
        if (turn == m_turn && m_stage == Stage::Keyring)
            answerFromKeyring(name, std::move(secret));
    });
}

bool CredentialBroker::answerFromMemory(const ssh::LoginInquiry& question)
{
    const auto found = m_memory.find(nameOf(question));
    if (found == m_memory.end())
        return false;
    finish(alone(found->second.clone()));
    return true;
}

void CredentialBroker::answerFromKeyring(const QString& name, std::optional<ssh::Secret> secret)
{
    if (!secret)
        return askPerson();
    const Open& open = m_waiting.front();
    m_unproven.push_back({open.target, open.question.account, name, secret->clone()});
    finish(alone(std::move(*secret)));
    next();
}

void CredentialBroker::askPerson()
{
    m_stage = Stage::Person;
    emit asked(m_waiting.front().question);
}

void CredentialBroker::answer(std::optional<Answer> answer)
{
    if (m_stage != Stage::Person)
        return;
    const Open& open = m_waiting.front();
    const QString name = nameOf(open.question);
    if (answer && !name.isEmpty() && answer->secrets.size() == 1 &&
        (answer->useAgain || answer->keepInKeyring))
        m_unproven.push_back({open.target, open.question.account, name, answer->secrets[0].clone(),
                              answer->keepInKeyring && hasKeyring()});
    finish(answer ? ssh::LoginAnswers(std::move(answer->secrets)) : std::nullopt);
    next();
}

void CredentialBroker::finish(ssh::LoginAnswers answers)
{
    m_stage = Stage::Idle;
    const Open done = std::move(m_waiting.front());
    m_waiting.pop_front();
    if (done.target)
        done.target->answerLogin(std::move(answers));
}

/// Its questions are void.
void CredentialBroker::drop(const Target* target)
{
    std::erase_if(m_unproven, [&](const Unproven& given) { return !given.target || given.target == target; });
    const auto isVoid = [&](const Open& open) { return !open.target || open.target == target; };
    const bool first = !m_waiting.empty() && isVoid(m_waiting.front());
    std::erase_if(m_waiting, isVoid);
    if (first && std::exchange(m_stage, Stage::Idle) == Stage::Person)
        emit withdrawn();
    next();
}

void CredentialBroker::onLoggedIn(const Target& target, const std::string& account)
{
    for (Unproven& given : m_unproven) {
        if (given.target != &target || given.account != account)
            continue;
        if (given.keepInKeyring)
            m_keyring->write(given.name, given.secret);
        m_memory.insert_or_assign(given.name, std::move(given.secret));
    }
    std::erase_if(m_unproven,
                  [&](const Unproven& given) { return given.target == &target && given.account == account; });
    next();
}

} // namespace trainyard
