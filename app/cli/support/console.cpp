#include "app/cli/support/console.h"

#include <string>
#include <unistd.h>

#include "engine/base/standard_streams.h"
#include "engine/base/units.h"
#include "engine/base/untrusted_text.h"

namespace trainyard::console {

namespace {

bool errorIsTerminal()
{
    static const bool terminal = ::isatty(STDERR_FILENO) == 1;
    return terminal;
}

/// Whatever a host had part in ends up here; nothing of it may act on the terminal.
std::string sanitize(const QString& text)
{
    return sanitizeText(text.toStdString(), Lines::Many);
}

constexpr const char* kClearLine = "\r\x1b[K";

} // namespace

void print(const QString& line)
{
    printOutput(sanitize(line) + '\n');
}

void print(const QJsonDocument& document)
{
    printOutput(sanitize(QString::fromUtf8(document.toJson(QJsonDocument::Indented))));
}

void note(const QString& line)
{
    printNotice((errorIsTerminal() ? kClearLine : std::string()) + sanitize(line) + '\n');
}

void transient(const QString& line)
{
    if (errorIsTerminal())
        printNotice(kClearLine + sanitize(line));
}

void warn(const QString& text)
{
    note("trainyard: warning: " + text);
}

int fail(const Error& error)
{
    note("trainyard: " + QString::fromStdString(shownText(error)));
    return exitStatus(error.kind);
}

int exitWith(const Status& status)
{
    return status.ok() ? 0 : fail(status.error());
}

int exitWith(const Result<int>& status)
{
    return status.ok() ? *status : fail(status.error());
}

QString number(double value)
{
    return QString::fromStdString(formatNumber(value));
}

QString percent(double share)
{
    return QString::number(100 * share, 'f', 1) + " %";
}

QString table(const QList<QStringList>& rows)
{
    QList<qsizetype> widths;
    for (const QStringList& row : rows) {
        for (qsizetype c = 0; c < row.size(); ++c) {
            if (c == widths.size())
                widths << 0;
            widths[c] = std::max(widths[c], row[c].size());
        }
    }
    QStringList lines;
    for (const QStringList& row : rows) {
        QString line;
        for (qsizetype c = 0; c < row.size(); ++c)
            line += c + 1 < row.size() ? row[c].leftJustified(widths[c] + 2) : row[c];
        lines << line;
    }
    return lines.join('\n');
}

} // namespace trainyard::console
