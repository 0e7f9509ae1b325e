#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include <QObject>
#include <QSocketNotifier>
#include <termios.h>

#include "remote/ssh/secret.h"

namespace trainyard {

/// Asks questions at the terminal, one after another, while the event loop runs. A hidden answer is not
/// echoed and is kept in locked memory only; Ctrl+C still interrupts. GUI thread.
class Terminal : public QObject {
    Q_OBJECT

public:
    /// True if standard input and standard error are terminals.
    static bool isThere();

    explicit Terminal(QObject* parent = nullptr);
    ~Terminal() override;

    enum class Echo { Shown, Hidden };
    /// Nullopt = the input was ended (Ctrl+C, Ctrl+D).
    using Done = std::function<void(std::optional<ssh::Secret>)>;
    /// Prints `question` as it is: sanitize untrusted text first. Returns a ticket for withdraw().
    quint64 ask(const QString& question, Echo echo, Done done);
    /// Withdraws a question: `done` will not be called. No effect if it was already.
    void withdraw(quint64 ticket);

private:
    struct Question {
        quint64 ticket;
        QString text;
        Echo echo;
        Done done;
    };
    enum class Key { Taken, Enter, End };
    void show();
    void read();
    Key take(char byte);
    void dropLastCharacter();
    std::optional<ssh::Secret> endInput(Key how);
    void finish(Key how);
    void hide();
    void restore();

    std::deque<Question> m_questions; ///< the first one is shown
    quint64 m_lastTicket = 0;
    std::string m_typed; ///< never grows beyond what it has reserved; wiped after each answer
    QSocketNotifier m_input;
    std::optional<termios> m_before; ///< while hidden
};

} // namespace trainyard
