#include "app/trial/model/mask_answer_model.h"

#include "app/base/display_text.h"

namespace trainyard {

void MaskAnswerModel::setMasks(const QList<QList<MaskAnswer>>& masks)
{
    beginResetModel();
    m_rows.clear();
    for (qsizetype mask = 0; mask < masks.size(); ++mask) {
        for (const MaskAnswer& answer : masks[mask])
            m_rows.append(Row{mask, answer});
    }
    endResetModel();
}

int MaskAnswerModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int MaskAnswerModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString MaskAnswerModel::text(const Row& row, int column) const
{
    switch (column) {
    case Mask:
        return QString::number(row.mask + 1);
    case Word:
        return row.answer.word;
    default:
        return displayPercent(row.answer.probability);
    }
}

QVariant MaskAnswerModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = m_rows[index.row()];
    if (role == Qt::DisplayRole)
        return text(row, index.column());
    if (role == ShareRole && index.column() == Probability)
        return row.answer.probability;
    if (role == Qt::AccessibleTextRole)
        return tr("mask %1: %2, %3").arg(text(row, Mask), text(row, Word), text(row, Probability));
    return {};
}

QVariant MaskAnswerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Mask:
        return tr("Mask");
    case Word:
        return tr("Word");
    default:
        return tr("Probability");
    }
}

} // namespace trainyard
