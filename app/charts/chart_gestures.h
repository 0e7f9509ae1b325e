#pragma once

#include <optional>

#include <QObject>
#include <QPoint>

class QCPItemRect;
class QCustomPlot;
class QMouseEvent;
class QWheelEvent;

namespace trainyard {

/// The pointer on a chart: hovering moves the cursor, dragging a box zooms into it, a double click shows
/// everything again, Ctrl and the wheel zoom around the pointer, Shift and the wheel or a sideways wheel move
/// along. The bare wheel is left to the page, which scrolls. Positions are in the units of the horizontal
/// axis.
class ChartGestures : public QObject {
    Q_OBJECT

public:
    explicit ChartGestures(QCustomPlot& plot);
    void setColour(const QColor& colour);

signals:
    void hovered(double x);
    void left();
    void boxChosen(double from, double to);
    /// Clicked with Ctrl.
    void pinWanted(double x);
    void resetWanted();
    /// factor < 1 zooms in; `x` stays where it is.
    void zoomWanted(double x, double factor);
    /// By a share of what is shown, towards the end when positive.
    void panWanted(double share);
    /// The bare wheel was turned over the chart: tell how zooming works.
    void bareWheelTurned();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool wheel(const QWheelEvent& event);
    bool isDrag(const QMouseEvent& event) const;
    void showBox(double from, double to);
    void hideBox();
    double positionOf(double pixel) const;

    QCustomPlot& m_plot;
    QCPItemRect* m_box;
    std::optional<QPoint> m_pressed;
};

} // namespace trainyard
