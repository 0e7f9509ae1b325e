#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QStringList>

#include "engine/base/result.h"
#include "remote/data/data_set_list.h"

namespace trainyard {

/// The data sets that were sent to hosts: which, how large, when, and the run that used each last; by host
/// and name. GUI thread.
class HostDataSets : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Host, Name, Size, Sent, LastUsed, ColumnCount };

    /// The pool must outlive it.
    explicit HostDataSets(TargetPool& targets, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Asks these hosts; rows of others go.
    void load(const QStringList& hosts);
    const HostDataSet& at(int row) const { return m_rows[row].set; }
    QString hostOf(int row) const { return m_rows[row].host; }
    /// Removes one from its host; the row goes when the host has done so.
    void remove(const QString& host, const QString& name);
    /// Hosts that have not answered yet.
    int waiting() const { return m_waiting; }
    /// Hosts of the last load(), and those of them that could not answer.
    int asked() const { return m_asked; }
    int unanswered() const { return static_cast<int>(m_errors.size()); }

signals:
    /// A host has answered, or could not.
    void answered();
    /// A removal, or a load when the last host has answered: all hosts that could not, in one error.
    void failed(const trainyard::Error& error);
    void removed(const QString& name, const QString& host, qint64 freedBytes);

private:
    struct Row {
        QString host;
        HostDataSet set;
    };
    void take(int load, const QString& host, const Result<QList<HostDataSet>>& sets);
    void drop(const QString& host, const QString& name);

    TargetPool& m_targets;
    QList<Row> m_rows;
    int m_load = 0; ///< answers to earlier loads are dropped
    int m_waiting = 0;
    int m_asked = 0;
    std::vector<Error> m_errors; ///< of the last load
};

} // namespace trainyard
