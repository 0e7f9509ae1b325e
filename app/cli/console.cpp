#include "app/cli/console.h"

#include <cstdio>
#include <unistd.h>

namespace trainyard::console {

namespace {

bool errorIsTerminal()
{
    static const bool terminal = ::isatty(STDERR_FILENO) == 1;
    return terminal;
}

void write(std::FILE* stream, const QString& line)
{
    const QByteArray bytes = line.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stream);
    std::fflush(stream);
}

constexpr auto kClearLine = "\r\x1b[K";

} // namespace

void print(const QString& line)
{
    write(stdout, line + '\n');
}

void print(const QJsonDocument& document)
{
    write(stdout, QString::fromUtf8(document.toJson(QJsonDocument::Indented)));
}

void note(const QString& line)
{
    write(stderr, (errorIsTerminal() ? QString(kClearLine) : QString()) + line + '\n');
}

void transient(const QString& line)
{
    if (errorIsTerminal())
        write(stderr, kClearLine + line);
}

void warn(const QString& text)
{
    note("trainyard: warning: " + harmless(text));
}

int fail(const Error& error)
{
    note("trainyard: " + harmless(QString::fromStdString(error.text())));
    return exitStatus(error.kind);
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

QString harmless(const QString& text)
{
    QString clean = text;
    for (QChar& c : clean) {
        const auto category = c.category();
        if ((category == QChar::Other_Control && c != '\t') || category == QChar::Other_Format)
            c = '?';
    }
    return clean;
}

} // namespace trainyard::console
