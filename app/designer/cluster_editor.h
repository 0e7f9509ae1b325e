#pragma once

#include <vector>

#include <QWidget>

#include "app/designer/model/spec_document.h"
#include "app/hosts/model/host_list_model.h"
#include "app/plan/hardware_library.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class DeviceField;
class MemoryBox;
class NumberBox;

/// Edits the hosts of the run: name, hardware, slots, GPUs and memory limit per rank. For a very large
/// cluster it shows the first hosts until the user asks for all or adds one.
class ClusterEditor : public QWidget {
    Q_OBJECT
public:
    ClusterEditor(SpecDocument& document, HostListModel& hosts, const HardwareLibrary& hardware,
                  QWidget* parent = nullptr);

    void setError(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct NodeRow {
        QWidget* widget;
        ChoiceBox* host;
        ChoiceBox* hardware;
        NumberBox* slotCount;
        DeviceField* devices;
        MemoryBox* memory;
    };
    QWidget* makeHeadings();
    QWidget* makeAddBar();
    NodeRow makeRow(std::size_t index);
    NodeRow makeControls(std::size_t index);
    void connectRow(const NodeRow& row, std::size_t index);
    void addNode();
    void addLikeLast(int count);
    void removeNode(std::size_t index);
    void setHardware(std::size_t index, const QString& name);
    void refresh();
    void fillChoices(const NodeRow& row) const;
    void showNode(const NodeRow& row, const NodeSpec& node);
    void showDevices(const NodeRow& row, const NodeSpec& node);
    std::size_t shownNodes() const;
    QList<QWidget*> rowWidgets() const;
    void edit(const QString& what, std::size_t index, const std::function<void(NodeSpec&)>& change);
    /// Edits the list in a separate undo step.
    void editNodes(const QString& what, const std::function<void(RunSpec&)>& change);

    SpecDocument& m_document;
    HostListModel& m_hosts;
    const HardwareLibrary& m_hardware;
    std::vector<NodeModel> m_kinds; ///< hardware kinds, as last shown
    std::vector<NodeRow> m_rows;
    QVBoxLayout* m_layout;
    QPushButton* m_all; ///< shows the remaining hosts
    QLabel* m_error;
    std::size_t m_mostShown; ///< maximum rows until the user asks for more
};

} // namespace trainyard
