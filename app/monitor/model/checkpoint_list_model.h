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

    /// A later listing of the same run. What a comparison with the hashes has found out stays known when this
    /// one has only looked at the index.
    void update(const QList<RunCheckpoint>& listed);
    void clear(); ///< for another run

    const QList<RunCheckpoint>& checkpoints() const { return m_checkpoints; }
    /// Row of the one that the next resume takes, else of the newest; -1 = there is none.
    int usualRow() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    RunCheckpoint withWhatIsKnown(RunCheckpoint checkpoint) const;
    void removeAllBut(const QList<RunCheckpoint>& listed);

    QList<RunCheckpoint> m_checkpoints;
};

} // namespace trainyard
