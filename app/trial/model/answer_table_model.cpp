#include "app/trial/model/answer_table_model.h"

#include "app/base/display_text.h"

namespace trainyard {

namespace {

AnswerTable maskTable(const QList<QList<MaskAnswer>>& masks)
{
    AnswerTable table{{AnswerTableModel::tr("Mask"), AnswerTableModel::tr("Word")}, {}};
    for (qsizetype mask = 0; mask < masks.size(); ++mask) {
        for (const MaskAnswer& answer : masks[mask])
            table.rows.append({{QString::number(mask + 1), answer.word}, answer.probability});
    }
    return table;
}

AnswerTable labelTable(const QList<LabelShare>& labels)
{
    AnswerTable table{{AnswerTableModel::tr("Label")}, {}};
    for (const LabelShare& each : labels)
        table.rows.append({{each.label}, each.probability});
    return table;
}

AnswerTable wordTable(const QList<TaggedWord>& words)
{
    AnswerTable table{{AnswerTableModel::tr("Word"), AnswerTableModel::tr("Label")}, {}};
    for (const TaggedWord& each : words)
        table.rows.append({{each.text, each.label}, each.probability});
    return table;
}

AnswerTable foundTable(const QList<FoundAnswer>& answers)
{
    AnswerTable table{{AnswerTableModel::tr("Answer"), AnswerTableModel::tr("Score")}, {}};
    for (const FoundAnswer& each : answers)
        table.rows.append({{each.isAnswer() ? oneLine(each.text) : AnswerTableModel::tr("no answer"),
                            displayNumber(each.score)},
                           each.probability});
    return table;
}

} // namespace

AnswerTable tableOf(const TrialAnswer& answer)
{
    AnswerTable table = !answer.masks().isEmpty()    ? maskTable(answer.masks())
                        : !answer.labels().isEmpty() ? labelTable(answer.labels())
                        : !answer.words().isEmpty()  ? wordTable(answer.words())
                                                     : foundTable(answer.answers());
    table.columns << AnswerTableModel::tr("Probability");
    return table;
}

void AnswerTableModel::setTable(const AnswerTable& table)
{
    beginResetModel();
    m_table = table;
    endResetModel();
}

int AnswerTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_table.rows.size());
}

int AnswerTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_table.columns.size());
}

QString AnswerTableModel::text(const QModelIndex& index) const
{
    const AnswerTable::Row& row = m_table.rows[index.row()];
    return index.column() < row.cells.size() ? row.cells[index.column()] : displayPercent(row.probability);
}

QVariant AnswerTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::DisplayRole)
        return text(index);
    if (role == ShareRole && index.column() + 1 == columnCount())
        return m_table.rows[index.row()].probability;
    if (role == Qt::AccessibleTextRole) {
        QStringList parts;
        for (int column = 0; column < columnCount(); ++column)
            parts << text(index.siblingAtColumn(column));
        return parts.join(QStringLiteral(", "));
    }
    return {};
}

QVariant AnswerTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return m_table.columns.value(section);
}

} // namespace trainyard
