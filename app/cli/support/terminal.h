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

/// Asks the person at the terminal, one question after another, while the event loop goes on. A hidden answer
/// is not shown while it is typed and is kept in locked memory only; Ctrl+C still interrupts. GUI thread.
class Terminal : public QObject {
    Q_OBJECT

public:
    /// Both what is typed and what is asked go to a person.
    static bool isThere();

    explicit Terminal(QObject* parent = nullptr);
    ~Terminal() override;

    enum class Echo { Shown, Hidden };
    /// Nothing = the person ended the input (Ctrl+C, Ctrl+D).
    using Done = std::function<void(std::optional<ssh::Secret>)>;
    /// `question` is printed as it is: make foreign text harmless first. The ticket is for withdraw().
    quint64 ask(const QString& question, Echo echo, Done done);
    /// The answer is not wanted any more: `done` will not be called. No effect when it was.
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
