#include "app/cli/desk.h"

#include <cstdio>
#include <termios.h>
#include <unistd.h>

#include <QEventLoop>
#include <QTimer>

#include "app/cli/console.h"

namespace trainyard {

namespace {

bool haveTerminal()
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

QByteArray readLine()
{
    QByteArray line;
    for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar())
        line.append(static_cast<char>(c));
    return line;
}

/// Reads one line without showing it.
QByteArray readSecret()
{
    termios shown{};
    ::tcgetattr(STDIN_FILENO, &shown);
    termios hidden = shown;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &hidden);
    QByteArray secret = readLine();
    ::tcsetattr(STDIN_FILENO, TCSANOW, &shown);
    console::note("");
    return secret;
}

bool askToTrust(const HostKeyQuestion& question)
{
    console::note(QString("The host %1 (%2) is unknown. Its %3 key has the fingerprint\n  %4")
                      .arg(console::harmless(question.host), console::harmless(question.address),
                           question.keyType, question.fingerprint));
    if (!haveTerminal()) {
        console::note("There is no terminal to ask on, so it is not trusted. Connect once with ssh, or add "
                      "the host in the window.");
        return false;
    }
    console::note("Trust it and remember the key? Type yes or no:");
    return readLine().trimmed() == "yes";
}

std::optional<QByteArray> askForPassphrase(const PassphraseQuestion& question)
{
    if (!haveTerminal() || question.attempt > 3)
        return std::nullopt;
    console::note("Passphrase of " + console::harmless(question.keyFile) + ":");
    return readSecret();
}

} // namespace

Desk::Desk() : m_runs(m_targets)
{
    connect(&m_targets, &TargetPool::targetAdded, this, &Desk::watch);
}

void Desk::watch(Target* target)
{
    connect(target, &Target::hostKeyUnknown, this,
            [target](const HostKeyQuestion& question) { target->answerHostKey(askToTrust(question)); });
    connect(target, &Target::passphraseNeeded, this, [target](const PassphraseQuestion& question) {
        target->answerPassphrase(askForPassphrase(question));
    });
    connect(target, &Target::notice, this, [target](const QString& text) {
        console::note(target->host() + ": " + console::harmless(text));
    });
}

Result<QString> Desk::finish(RunOperation* operation)
{
    std::optional<Result<QString>> outcome;
    QEventLoop loop;
    Interrupt interrupt;
    connect(&interrupt, &Interrupt::requested, operation, &RunOperation::cancel);
    connect(operation, &RunOperation::progress, &loop, [](const QString& text, double fraction) {
        console::transient(fraction < 0 ? text
                                        : QString("%1  %2 %").arg(text).arg(fraction * 100, 0, 'f', 0));
    });
    connect(operation, &RunOperation::noticed, &loop, &console::warn);
    connect(operation, &RunOperation::finished, &loop, [&](const Result<QString>& result) {
        outcome.emplace(result);
        loop.quit();
    });
    loop.exec();
    console::transient("");
    return *outcome;
}

Status Desk::reach(const QString& host, std::chrono::milliseconds patience)
{
    Target& target = m_targets.target(host);
    QEventLoop loop;
    Interrupt interrupt;
    bool interrupted = false;
    connect(&interrupt, &Interrupt::requested, &loop, [&] {
        interrupted = true;
        loop.quit();
    });
    connect(&target, &Target::stateChanged, &loop, [&](Target::State state) {
        if (state == Target::State::Ready || state == Target::State::Refused)
            loop.quit();
    });
    QTimer::singleShot(patience, &loop, &QEventLoop::quit);
    if (target.state() != Target::State::Ready && target.state() != Target::State::Refused)
        loop.exec();
    if (target.state() == Target::State::Ready)
        return {};
    if (interrupted)
        return cancelled("interrupted while connecting to " + host.toStdString());
    return target.lastError().value_or(
        unreachable(host.toStdString() + ": no answer within " + formatDuration(patience),
                    "check the name and the network"));
}

} // namespace trainyard
