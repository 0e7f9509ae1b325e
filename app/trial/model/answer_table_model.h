#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include "app/trial/model/trial_answer.h"

namespace trainyard {

/// What a model says, one row for each word, label or answer. The last column is its probability.
struct AnswerTable {
    struct Row {
        QStringList cells; ///< without the probability
        double probability = 0;
    };
    QStringList columns;
    QList<Row> rows;
};

/// Masks one after the other, words in the order of the text, labels and answers most probable first. Empty
/// for a continued text and for a value.
AnswerTable tableOf(const TrialAnswer& answer);

class AnswerTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { ShareRole = Qt::UserRole }; ///< of the last column: the probability, 0 to 1

    using QAbstractTableModel::QAbstractTableModel;

    void setTable(const AnswerTable& table);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const QModelIndex& index) const;

    AnswerTable m_table;
};

} // namespace trainyard
