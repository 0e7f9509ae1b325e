#pragma once

#include <QAbstractTableModel>

#include "app/trial/model/trial_answer.h"

namespace trainyard {

/// The answers for the masks of a text, one row each, mask after mask.
class MaskAnswerModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Mask, Word, Probability, ColumnCount };
    enum Role { ShareRole = Qt::UserRole }; ///< probability of the row's answer, 0 to 1

    using QAbstractTableModel::QAbstractTableModel;

    void setMasks(const QList<QList<MaskAnswer>>& masks);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        qsizetype mask = 0; ///< from 0
        MaskAnswer answer;
    };
    QString text(const Row& row, int column) const;

    QList<Row> m_rows;
};

} // namespace trainyard
