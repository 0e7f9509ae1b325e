#include "app/cli/support/terminal.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <unistd.h>

#include "app/cli/support/console.h"

namespace trainyard {

namespace {

constexpr char kInterrupt = 0x03, kEndOfInput = 0x04, kBackspace = 0x08, kKillLine = 0x15, kDelete = 0x7f;

} // namespace

bool Terminal::isThere()
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

Terminal::Terminal(QObject* parent) : QObject(parent), m_input(STDIN_FILENO, QSocketNotifier::Read)
{
    m_typed.reserve(ssh::Secret::kLongest);
    m_input.setEnabled(false);
    connect(&m_input, &QSocketNotifier::activated, this, &Terminal::read);
}

Terminal::~Terminal()
{
    restore();
    ssh::wipe(m_typed.data(), m_typed.capacity());
}

quint64 Terminal::ask(const QString& question, Echo echo, Done done)
{
    m_questions.push_back({++m_lastTicket, question, echo, std::move(done)});
    if (m_questions.size() == 1)
        show();
    return m_lastTicket;
}

void Terminal::withdraw(quint64 ticket)
{
    const auto found = std::find_if(m_questions.begin(), m_questions.end(),
                                    [&](const Question& question) { return question.ticket == ticket; });
    if (found == m_questions.end())
        return;
    const bool shown = found == m_questions.begin();
    m_questions.erase(found);
    if (!shown)
        return;
    endInput(Key::End);
    if (!m_questions.empty())
        show();
}

void Terminal::show()
{
    console::note(m_questions.front().text);
    if (m_questions.front().echo == Echo::Hidden)
        hide();
    m_input.setEnabled(true);
}

/// Without echo we see each key, and handle the few that a terminal would have handled for us.
void Terminal::hide()
{
    termios settings{};
    if (::tcgetattr(STDIN_FILENO, &settings) != 0)
        return;
    m_before = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings);
}

void Terminal::restore()
{
    if (m_before)
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*m_before);
    m_before.reset();
}

void Terminal::read()
{
    std::array<char, 256> bytes;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    Key key = got <= 0 ? Key::End : Key::Taken;
    for (ssize_t i = 0; i < got && key == Key::Taken; ++i)
        key = take(bytes[static_cast<std::size_t>(i)]);
    ssh::wipe(bytes.data(), bytes.size());
    if (key != Key::Taken)
        finish(key);
}

Terminal::Key Terminal::take(char byte)
{
    switch (byte) {
    case '\n':
    case '\r':
        return Key::Enter;
    case kInterrupt:
        ::kill(::getpid(), SIGINT);
        return Key::End;
    case kEndOfInput:
        return Key::End;
    case kBackspace:
    case kDelete:
        dropLastCharacter();
        return Key::Taken;
    case kKillLine:
        m_typed.clear();
        return Key::Taken;
    default:
        if (m_typed.size() < m_typed.capacity())
            m_typed += byte;
        return Key::Taken;
    }
}

/// All bytes of it (UTF-8).
void Terminal::dropLastCharacter()
{
    while (!m_typed.empty() && (m_typed.back() & 0xc0) == 0x80)
        m_typed.pop_back();
    if (!m_typed.empty())
        m_typed.pop_back();
}

/// The terminal is as before, and nothing of what was typed is left but the answer.
std::optional<ssh::Secret> Terminal::endInput(Key how)
{
    m_input.setEnabled(false);
    if (m_before)
        console::note("");
    restore();
    std::optional<ssh::Secret> answer;
    if (how == Key::Enter)
        answer.emplace(m_typed);
    ssh::wipe(m_typed.data(), m_typed.capacity());
    m_typed.clear();
    return answer;
}

void Terminal::finish(Key how)
{
    auto answer = endInput(how);
    const Done done = std::move(m_questions.front().done);
    m_questions.pop_front();
    if (!m_questions.empty())
        show();
    done(std::move(answer));
}

} // namespace trainyard
