#pragma once

#include <vector>

#include <QWidget>

#include "app/models/host_list_model.h"
#include "app/models/spec_document.h"

class QLabel;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class NumberBox;

/// The hosts of the run, how many ranks may run on each, and how much memory each of them may use.
class ClusterEditor : public QWidget {
    Q_OBJECT
public:
    ClusterEditor(SpecDocument& document, HostListModel& hosts, QWidget* parent = nullptr);

    void setError(const QString& sentence);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct NodeRow {
        QWidget* widget;
        ChoiceBox* host;
        NumberBox* slotCount;
        NumberBox* memory;
    };
    NodeRow makeRow(std::size_t index);
    void addNode();
    void removeNode(std::size_t index);
    void refresh();
    void fillHosts(ChoiceBox* box) const;
    void edit(const QString& what, std::size_t index, const std::function<void(NodeSpec&)>& change);

    SpecDocument& m_document;
    HostListModel& m_hosts;
    std::vector<NodeRow> m_rows;
    QVBoxLayout* m_layout;
    QLabel* m_error;
};

} // namespace trainyard
