#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "app/alerts/alert.h"
#include "app/monitor/model/device_stats.h"

namespace trainyard {

/// Shows all ranks as cells: peak memory by category with the plan below the measurement, the time of the
/// newest step by cause, and the host's view of the device. With many ranks the cells shrink to memory and
/// load. Cells wrap to the width; only visible ones are painted. Arrow keys, Home, End and the mouse select a
/// rank, Enter or a double click activates it.
class DeviceBoard : public QWidget {
    Q_OBJECT

public:
    explicit DeviceBoard(QWidget* parent = nullptr);

    void show(std::vector<DeviceStats> devices);
    const std::vector<DeviceStats>& devices() const { return m_devices; }
    void setThresholds(const BoardThresholds& thresholds);
    /// Colours the cells by the groups of this axis; nullopt = no colours.
    void setGrouping(std::optional<GroupAxis> axis);
    int current() const { return m_current; }
    /// -1 = none.
    void setCurrent(int rank);
    QRect cellOf(int rank) const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

signals:
    /// -1 = none.
    void currentChanged(int rank);
    void activated(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    int count() const { return int(m_devices.size()); }
    bool isSmall() const;
    QSize cellSize() const;
    int columns(int width) const;
    int rankAt(const QPoint& position) const;
    const DeviceStats& device(int rank) const { return m_devices[std::size_t(rank)]; }
    QColor loadColour(const DeviceStats& device) const;
    QColor amountColour(const DeviceStats& device) const;
    void paintCell(QPainter& painter, int rank) const;
    void paintGroup(QPainter& painter, const DeviceStats& device, const QRect& cell) const;
    void paintSmall(QPainter& painter, const DeviceStats& device, const QRect& inner) const;
    void paintLarge(QPainter& painter, const DeviceStats& device, const QRect& inner) const;
    void paintHead(QPainter& painter, const DeviceStats& device, const QRect& line) const;
    void paintFoot(QPainter& painter, const DeviceStats& device, const QRect& line) const;
    void paintMemory(QPainter& painter, const QRectF& bar, const DeviceMemory& memory) const;
    void paintPlanned(QPainter& painter, const QRectF& bar, const MemoryByCategory& planned) const;
    void paintTime(QPainter& painter, const QRectF& bar, const RankStats& stats) const;

    std::vector<DeviceStats> m_devices;
    BoardThresholds m_thresholds;
    std::optional<GroupAxis> m_grouping;
    double m_mostBytes = 1;   ///< length of a full memory bar
    double m_mostSeconds = 1; ///< length of a full time bar
    int m_current = -1;
};

} // namespace trainyard
