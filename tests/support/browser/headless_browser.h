#pragma once

#include <memory>
#include <optional>

#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include "engine/base/file.h"

namespace trainyard::support {

/// A page in a headless Chromium, which is asked over a pipe (Chrome DevTools Protocol). The browser ends
/// with it.
class HeadlessBrowser {
public:
    /// The browser's program; empty where there is none.
    static QString program();

    /// Opens the address. Null with the reason in `why` when the browser does not answer.
    static std::unique_ptr<HeadlessBrowser> open(const QString& address, QString* why);
    ~HeadlessBrowser();

    /// The value of a JavaScript expression in the page; nullopt when it throws or the browser is gone.
    std::optional<QJsonValue> evaluate(const QString& expression);

private:
    HeadlessBrowser() = default;

    bool start(QString* why);
    bool showPage(const QString& address);
    /// The result of a call; empty after an error.
    QJsonObject call(const QString& method, const QJsonObject& parameters = {});
    std::optional<QByteArray> nextMessage();

    QTemporaryDir m_profile;
    QProcess m_process;
    FileDescriptor m_toBrowser;
    FileDescriptor m_fromBrowser;
    QByteArray m_received;
    QString m_session; ///< of the page
    int m_lastId = 0;
};

} // namespace trainyard::support
