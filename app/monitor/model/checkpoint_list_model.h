#pragma once

#include <QAbstractTableModel>
#include <QList>

#include "remote/launch/run_service.h"

namespace trainyard {

/// The checkpoints of a run as its head listed them, newest first. Rows are inserted and removed one by one,
/// so that selection and scroll position stay.
class CheckpointListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Step, State, Size, Verified, Latest, Note, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// Merges a newer list of the same run. Keeps verification results that the newer list, read from the
    /// index alone, lacks.
    void update(const QList<RunCheckpoint>& listed);
    void clear(); ///< for another run

    const QList<RunCheckpoint>& checkpoints() const { return m_checkpoints; }
    /// Returns the row of the checkpoint that the next resume uses, else of the newest; -1 = none.
    int usualRow() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    RunCheckpoint withKnownResult(RunCheckpoint checkpoint) const;
    void removeAllBut(const QList<RunCheckpoint>& listed);

    QList<RunCheckpoint> m_checkpoints;
};

} // namespace trainyard
