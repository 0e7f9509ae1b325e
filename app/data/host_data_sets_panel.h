#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QPushButton;

namespace trainyard {

class HostDataSets;
class TableView;

/// The data sets that were sent to hosts, and Remove. Owns nothing of the model.
class HostDataSetsPanel : public QFrame {
    Q_OBJECT
public:
    explicit HostDataSetsPanel(HostDataSets& sets, QWidget* parent = nullptr);

    /// Asks the hosts; the list fills as they answer.
    void load(const QStringList& hosts);

signals:
    void removeRequested(int row);
    void closed();

private:
    void showCurrent();
    void showState();
    QString stateText() const;

    HostDataSets& m_sets;
    TableView* m_table;
    QLabel* m_note;
    QPushButton* m_remove;
};

} // namespace trainyard
