#pragma once

#include <QFrame>
#include <QLabel>

#include "app/plan/device_memory.h"

namespace trainyard {

class ChartLegend;

/// Memory of every device as stacked columns, with a line at the planned value. Hovering or the arrow keys
/// read one out.
class MemoryColumns : public QWidget {
    Q_OBJECT

public:
    explicit MemoryColumns(QWidget* parent = nullptr);
    void setDevices(const QList<DeviceMemory>& devices);
    const QList<DeviceMemory>& devices() const { return m_devices; }

    QSize sizeHint() const override { return {320, 90}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

signals:
    /// The device that is pointed at, -1 = none.
    void currentChanged(int device);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Frame;
    Frame frame() const;
    void paintScale(QPainter& painter, const Frame& frame) const;
    void paintColumn(QPainter& painter, const Frame& frame, int device) const;
    void setCurrent(int device);

    QList<DeviceMemory> m_devices;
    int m_current = -1;
};

/// The panel around it: title, read-out, legend.
class MemoryChart : public QFrame {
    Q_OBJECT

public:
    explicit MemoryChart(QWidget* parent = nullptr);
    void setDevices(const QList<DeviceMemory>& devices);

private:
    void describe(int device);
    void showText(const QString& text);

    MemoryColumns* m_columns;
    QLabel* m_readOut;
    ChartLegend* m_legend;
};

} // namespace trainyard
