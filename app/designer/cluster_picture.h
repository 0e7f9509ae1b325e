#pragma once

#include <optional>

#include <QAbstractScrollArea>

#include "app/designer/cluster_layout.h"
#include "app/designer/model/memory_groups.h"

namespace trainyard {

/// The cluster as boxes, one per host, with a cell per device: its colour is its group along one axis, its
/// number the pipeline stage. Scales to fit; a thousand devices are small cells without titles, and larger
/// clusters scroll. Ctrl with the wheel, + and - set the scale, 0 fits it again. The arrow keys and the
/// mouse select the current device, whose groups are highlighted; D, P and T choose the axis.
class ClusterPicture : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit ClusterPicture(QWidget* parent = nullptr);

    void setCluster(const DeviceMap& map, const GroupedMemory& memory);
    const DeviceMap& map() const { return m_map; }
    const GroupedMemory& memory() const { return m_memory; }

    GroupAxis axis() const { return m_axis; }
    void setAxis(GroupAxis axis);
    int current() const { return m_current; } ///< device; -1 = none
    void setCurrent(int device);
    /// Rectangle of a device in viewport coordinates.
    QRect cellRect(int device) const;

    QSize sizeHint() const override { return {480, 160}; }
    QSize minimumSizeHint() const override { return {160, 72}; }

signals:
    void currentChanged(int device);
    void axisChanged(trainyard::GroupAxis axis);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void arrange();
    void zoom(int steps);
    bool move(int key);
    bool isEmpty() const { return m_map.devices().empty(); }
    int scrolled() const;
    void describe();
    QString toolTipAt(const QPoint& position) const;
    void paintBox(QPainter& painter, int node, const QRect& exposed) const;
    void paintTitle(QPainter& painter, int node) const;
    void paintCell(QPainter& painter, int device) const;
    void paintFocus(QPainter& painter) const;

    DeviceMap m_map;
    GroupedMemory m_memory;
    ClusterLayout m_layout;
    GroupAxis m_axis = GroupAxis::Data;
    int m_current = -1;
    std::optional<int> m_scale; ///< chosen by the user; nullopt = fit
};

} // namespace trainyard
