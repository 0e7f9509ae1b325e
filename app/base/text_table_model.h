#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include "app/base/tone.h"

namespace trainyard {

/// A small table of text, replaced as a whole.
struct TextTable {
    QStringList columns;
    QList<QStringList> rows; ///< each as long as `columns`
    QStringList tips{};      ///< tool tip of each row's first cell; may be shorter than `rows`
};

/// With headings in sentence case, for tables that reports show as well, in lower case.
TextTable withSentenceHeadings(TextTable table);

class TextTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Keeps selection and scroll position if only texts have changed.
    void setTable(const TextTable& table);
    /// Tab-separated, with headings: for the clipboard.
    QString toText() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    TextTable m_table;
};

} // namespace trainyard
