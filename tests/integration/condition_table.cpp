#include "tests/integration/condition_table.h"

#include <QDir>
#include <QSaveFile>
#include <QStringList>

#include "tests/support/file_content.h"

namespace trainyard::test {

namespace {

const QString kReport = QStringLiteral(TRAINYARD_BUILD_DIR "/Testing/commands.md");
const QString kParts = QStringLiteral(TRAINYARD_BUILD_DIR "/Testing/commands");

void writeWhole(const QString& path, const QString& text)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
        qWarning("cannot write %s", qPrintable(path));
}

void addOnce(QStringList& list, const QString& value)
{
    if (!list.contains(value))
        list.append(value);
}

/// In a cell of a Markdown table.
QString escaped(QString text)
{
    return text.replace(QLatin1Char('|'), QLatin1String("\\|")).replace(QLatin1Char('\n'), QLatin1Char(' '));
}

QString rowOf(const QStringList& cells)
{
    QStringList shown;
    for (const QString& cell : cells)
        shown.append(escaped(cell));
    return QStringLiteral("| %1 |\n").arg(shown.join(QStringLiteral(" | ")));
}

} // namespace

ConditionTable::ConditionTable(const QString& part) : m_part(part) {}

ConditionTable::~ConditionTable()
{
    QDir().mkpath(kParts);
    writeWhole(kParts + '/' + QString(m_part).replace(' ', '-').toLower() + QStringLiteral(".md"), text());
    QString report = QStringLiteral("# Commands under conditions\n");
    for (const QString& part : QDir(kParts).entryList({"*.md"}, QDir::Files, QDir::Name))
        report += '\n' + QString::fromUtf8(support::contentOf(kParts + '/' + part));
    writeWhole(kReport, report);
}

void ConditionTable::add(const QString& command, const QString& condition, const QString& result)
{
    m_cells.append({command, condition, result});
}

QString ConditionTable::text() const
{
    QStringList commands, conditions;
    for (const Cell& cell : m_cells) {
        addOnce(commands, cell.command);
        addOnce(conditions, cell.condition);
    }
    QString text = QStringLiteral("## %1: %2 commands, %3 conditions\n\n")
                       .arg(m_part)
                       .arg(commands.size())
                       .arg(conditions.size());
    text += rowOf(QStringList{"command"} + conditions);
    text += rowOf(QStringList(conditions.size() + 1, "---"));
    for (const QString& command : commands) {
        QStringList cells{'`' + command + '`'};
        for (const QString& condition : conditions) {
            QString result;
            for (const Cell& cell : m_cells)
                result = cell.command == command && cell.condition == condition ? cell.result : result;
            cells.append(result);
        }
        text += rowOf(cells);
    }
    return text;
}

} // namespace trainyard::test
