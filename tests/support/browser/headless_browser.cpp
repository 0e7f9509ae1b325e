#include "tests/support/browser/headless_browser.h"

#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStandardPaths>

namespace trainyard::support {

namespace {

constexpr int kReadFd = 3;  ///< where the browser reads calls, and
constexpr int kWriteFd = 4; ///< where it writes answers and events
constexpr int kAnswerMs = 60'000;

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

Pipe makePipe()
{
    int ends[2] = {-1, -1};
    (void)::pipe2(ends, O_CLOEXEC); // -1 fails later, with a reason
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

} // namespace

QString HeadlessBrowser::program()
{
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        if (const QString found = QStandardPaths::findExecutable(name); !found.isEmpty())
            return found;
    }
    return {};
}

std::unique_ptr<HeadlessBrowser> HeadlessBrowser::open(const QString& address, QString* why)
{
    std::unique_ptr<HeadlessBrowser> browser(new HeadlessBrowser);
    if (!browser->start(why))
        return nullptr;
    if (!browser->showPage(address)) {
        *why = "the browser does not open " + address + ": " + browser->m_process.readAllStandardError();
        return nullptr;
    }
    return browser;
}

HeadlessBrowser::~HeadlessBrowser()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    call("Browser.close");
    m_toBrowser = {};
    if (!m_process.waitForFinished(kAnswerMs)) {
        m_process.kill();
        m_process.waitForFinished();
    }
}

bool HeadlessBrowser::start(QString* why)
{
    Pipe calls = makePipe();
    Pipe answers = makePipe();
    m_process.setChildProcessModifier([read = calls.read.get(), write = answers.write.get()] {
        const int high = ::fcntl(write, F_DUPFD, 10); // neither end may be where the other one goes
        ::dup2(read, kReadFd);
        ::dup2(high, kWriteFd);
    });
    m_process.start(program(), {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                "--remote-debugging-pipe", "--user-data-dir=" + m_profile.path(),
                                "--no-first-run", "--window-size=1280,900", "about:blank"});
    if (!m_process.waitForStarted()) {
        *why = m_process.errorString();
        return false;
    }
    m_toBrowser = std::move(calls.write);
    m_fromBrowser = std::move(answers.read);
    return true;
}

bool HeadlessBrowser::showPage(const QString& address)
{
    const QString target = call("Target.createTarget", {{"url", address}})["targetId"].toString();
    if (target.isEmpty())
        return false;
    m_session =
        call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"].toString();
    return !m_session.isEmpty();
}

std::optional<QJsonValue> HeadlessBrowser::evaluate(const QString& expression)
{
    const QJsonObject answer =
        call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
    if (answer.isEmpty() || answer.contains("exceptionDetails"))
        return std::nullopt;
    return answer["result"]["value"];
}

QJsonObject HeadlessBrowser::call(const QString& method, const QJsonObject& parameters)
{
    QJsonObject message{{"id", ++m_lastId}, {"method", method}, {"params", parameters}};
    if (!m_session.isEmpty())
        message["sessionId"] = m_session;
    const QByteArray text = QJsonDocument(message).toJson(QJsonDocument::Compact) + '\0';
    if (::write(m_toBrowser.get(), text.constData(), std::size_t(text.size())) != text.size())
        return {};
    while (const auto received = nextMessage()) {
        const QJsonObject answer = QJsonDocument::fromJson(*received).object();
        if (answer["id"].toInt() == m_lastId)
            return answer["result"].toObject(); // all else are events
    }
    return {};
}

/// Messages end with a zero byte.
std::optional<QByteArray> HeadlessBrowser::nextMessage()
{
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        if (const qsizetype end = m_received.indexOf('\0'); end >= 0) {
            const QByteArray message = m_received.left(end);
            m_received.remove(0, end + 1);
            return message;
        }
        pollfd ready{m_fromBrowser.get(), POLLIN, 0};
        if (timer.hasExpired(kAnswerMs) || ::poll(&ready, 1, kAnswerMs) <= 0)
            return std::nullopt;
        char buffer[1 << 16];
        const ssize_t read = ::read(m_fromBrowser.get(), buffer, sizeof buffer);
        if (read <= 0)
            return std::nullopt;
        m_received.append(buffer, read);
    }
}

} // namespace trainyard::support
