#pragma once

#include <QList>
#include <QString>

namespace trainyard::test {

/// Collects what each command did under each condition and writes it as a table when it is destroyed. A test
/// owns one part of the report; Testing/commands.md in the build folder contains the parts of all tests.
class ConditionTable {
public:
    /// `part` is the heading, such as "Output": it replaces the part of that name from an earlier run.
    explicit ConditionTable(const QString& part);
    ~ConditionTable();
    ConditionTable(const ConditionTable&) = delete;
    ConditionTable& operator=(const ConditionTable&) = delete;

    /// `result` in a few words: "5, says why". Rows and columns appear in the order in which they are first
    /// named.
    void add(const QString& command, const QString& condition, const QString& result);

private:
    struct Cell {
        QString command;
        QString condition;
        QString result;
    };

    QString text() const;

    QString m_part;
    QList<Cell> m_cells;
};

} // namespace trainyard::test
