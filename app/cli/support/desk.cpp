#include "app/cli/support/desk.h"

#include <QPointer>
#include <QTimer>

#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "remote/target/data_dirs.h"
#include "remote/target/system_keyring.h"

namespace trainyard {

namespace {

QString describe(const ssh::LoginInquiry& question)
{
    const QString host = QString::fromStdString(question.host);
    QStringList lines;
    if (question.attempt > 1)
        lines << "That was not accepted.";
    if (!question.title.empty())
        lines << host + ": " + QString::fromStdString(question.title);
    lines << QString::fromStdString(question.instruction).split('\n', Qt::SkipEmptyParts);
    if (question.kind == ssh::LoginInquiry::Kind::Challenge) {
        const QString via =
            question.via.empty() ? QString() : " (via " + QString::fromStdString(question.via) + ")";
        lines << QString::fromStdString(question.user) + " on " + host + via + ", the host asks:";
    }
    return lines.join('\n');
}

} // namespace

Desk::Desk(const TargetOptions& options, NewKeys newKeys)
    : m_newKeys(newKeys), m_targets(options), m_runs(m_targets)
{
    auto keyring = std::make_unique<SystemKeyring>(keyringIndexFile());
    m_keyring = keyring.get();
    connect(m_keyring, &SystemKeyring::failed, this, &console::warn);
    m_targets.logins().setKeyring(std::move(keyring));
    connect(&m_targets, &TargetPool::targetAdded, this, &Desk::watch);
    connect(&m_targets.logins(), &CredentialBroker::asked, this, &Desk::askLogin);
    connect(&m_targets.logins(), &CredentialBroker::withdrawn, this,
            [this] { m_terminal.withdraw(m_asked); });
}

void Desk::watch(Target* target)
{
    connect(target, &Target::hostKeyUnknown, this,
            [this, target](const HostKeyQuestion& question) { judgeHostKey(*target, question); });
    connect(target, &Target::notice, this,
            [target](const QString& text) { console::note(target->host() + ": " + text); });
}

void Desk::judgeHostKey(Target& target, const HostKeyQuestion& question)
{
    const QString via = question.via.isEmpty() ? QString() : QString(", reached via %1").arg(question.via);
    // By the name that was asked for: the configuration may turn it into an address.
    const QString name = target.host() == question.host ? "The host" : target.host() + ": the host";
    console::note(
        QString("%1 %2 (%3%4) is unknown. Its %5 key has the fingerprint\n  %6")
            .arg(name, question.host, question.address, via, question.keyType, question.fingerprint));
    if (m_newKeys == NewKeys::Accept) {
        console::note("It is trusted from now on, because of --accept-new.");
        return target.answerHostKey(true);
    }
    if (!Terminal::isThere()) {
        console::note(
            "There is no terminal to ask on, so it is not trusted. Connect once with ssh, add the host in "
            "the window, or, if you trust its first key, use `trainyard hosts add --accept-new`.");
        return target.answerHostKey(false);
    }
    m_terminal.ask("Trust it and remember the key? Type yes or no:", Terminal::Echo::Shown,
                   [target = QPointer(&target)](const std::optional<ssh::Secret>& answer) {
                       if (target)
                           target->answerHostKey(answer && answer->view() == "yes");
                   });
}

/// Only where it matters: a command that needs no secret goes on without a word.
void Desk::warnOfKeyringIndex()
{
    if (m_keyring->isPresent() && !m_keyring->indexStatus().ok() && !std::exchange(m_warnedOfKeyring, true))
        console::warn(QString::fromStdString(m_keyring->indexStatus().error().text()));
}

void Desk::askLogin(const ssh::LoginInquiry& question)
{
    warnOfKeyringIndex();
    if (!Terminal::isThere()) {
        console::note(QString("%1 asks for a secret, and there is no terminal to type it on. Use a key "
                              "without a passphrase or the ssh-agent, or connect in the window.")
                          .arg(QString::fromStdString(question.host)));
        return m_targets.logins().answer(std::nullopt);
    }
    if (const QString text = describe(question); !text.isEmpty())
        console::note(text);
    m_answers.clear();
    askPrompt(question, 0);
}

void Desk::askPrompt(const ssh::LoginInquiry& question, std::size_t index)
{
    if (index == question.prompts.size())
        return m_targets.logins().answer(CredentialBroker::Answer{std::move(m_answers), true, false});
    const auto& prompt = question.prompts[index];
    m_asked = m_terminal.ask(QString::fromStdString(prompt.text) + ':',
                             prompt.echo ? Terminal::Echo::Shown : Terminal::Echo::Hidden,
                             [this, question, index](std::optional<ssh::Secret> answer) {
                                 if (!answer)
                                     return m_targets.logins().answer(std::nullopt);
                                 m_answers.push_back(std::move(*answer));
                                 askPrompt(question, index + 1);
                             });
}

Result<QString> Desk::finish(RunOperation* operation)
{
    console::Awaited<Result<QString>> outcome;
    outcome.onInterrupt([operation] { operation->cancel(); });
    connect(operation, &RunOperation::progress, outcome.context(), [](const QString& text, double fraction) {
        console::transient(fraction < 0 ? text
                                        : QString("%1  %2 %").arg(text).arg(fraction * 100, 0, 'f', 0));
    });
    connect(operation, &RunOperation::planned, outcome.context(), &console::note);
    connect(operation, &RunOperation::noticed, outcome.context(), &console::note);
    connect(operation, &RunOperation::finished, outcome.context(),
            [&outcome](const Result<QString>& result) { outcome.set(result); });
    return outcome.wait();
}

Status Desk::reach(const QString& host, std::chrono::milliseconds patience)
{
    Target& target = m_targets.target(host);
    console::Awaited<Status> answer;
    const auto fail = [&] {
        answer.set(target.lastError().value_or(
            unreachable(host.toStdString() + ": no answer within " + formatDuration(patience),
                        "check the name and the network")));
    };
    const auto judge = [&](Target::State state) {
        if (state == Target::State::Ready)
            answer.set({});
        else if (state == Target::State::Refused)
            fail();
    };
    answer.onInterrupt(
        [&] { answer.set(cancelled("interrupted while connecting to " + host.toStdString())); });
    connect(&target, &Target::stateChanged, answer.context(), judge);
    QTimer::singleShot(patience, answer.context(), fail);
    judge(target.state());
    return answer.wait();
}

QList<HostRun> Desk::listRuns(const QString& host)
{
    const auto ask = [&]() -> Result<QList<HostRun>> {
        TRAINYARD_TRY_STATUS(reach(host, std::chrono::seconds(10)));
        console::Awaited<Result<QList<HostRun>>> answer;
        m_runs.listRuns(host, answer.context(),
                        [&](const Result<QList<HostRun>>& runs) { answer.set(runs); });
        return answer.wait();
    };
    const auto runs = ask();
    if (runs.ok())
        return *runs;
    console::note(QString::fromStdString(runs.error().text()));
    return {};
}

} // namespace trainyard
