#include "app/charts/chart_gestures.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <qcustomplot.h>

namespace trainyard {

namespace {

constexpr double kNotch = 120;         ///< of a wheel, in the units of its events
constexpr double kNotchPanShare = 0.1; ///< of what is shown, for each notch

} // namespace

ChartGestures::ChartGestures(QCustomPlot& plot) : QObject(&plot), m_plot(plot), m_box(new QCPItemRect(&plot))
{
    m_box->setLayer(QStringLiteral("cursor"));
    m_box->topLeft->setTypeX(QCPItemPosition::ptPlotCoords);
    m_box->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_box->bottomRight->setTypeX(QCPItemPosition::ptPlotCoords);
    m_box->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_box->setVisible(false);
    plot.setMouseTracking(true);
    plot.installEventFilter(this);
}

void ChartGestures::setColour(const QColor& colour)
{
    QColor fill = colour;
    fill.setAlpha(40);
    m_box->setPen(QPen(colour));
    m_box->setBrush(fill);
}

bool ChartGestures::eventFilter(QObject*, QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
        return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
        return release(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick:
        m_pressed.reset();
        emit resetWanted();
        return true;
    case QEvent::Wheel:
        return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::Leave:
        emit left();
        return false;
    default:
        return false;
    }
}

bool ChartGestures::press(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton)
        return false;
    m_pressed = event.position().toPoint();
    return false; // the panel takes the focus
}

bool ChartGestures::move(const QMouseEvent& event)
{
    const double x = positionOf(event.position().x());
    emit hovered(x);
    if (isDrag(event))
        showBox(positionOf(m_pressed->x()), x);
    return true;
}

bool ChartGestures::release(const QMouseEvent& event)
{
    const bool dragged = isDrag(event);
    const std::optional<QPoint> pressed = std::exchange(m_pressed, std::nullopt);
    hideBox();
    if (dragged) {
        const auto [from, to] = std::minmax({positionOf(pressed->x()), positionOf(event.position().x())});
        emit boxChosen(from, to);
    } else if (pressed && (event.modifiers() & Qt::ControlModifier)) {
        emit pinWanted(positionOf(event.position().x()));
    }
    return false;
}

bool ChartGestures::isDrag(const QMouseEvent& event) const
{
    return m_pressed && std::abs(event.position().x() - m_pressed->x()) >= QApplication::startDragDistance();
}

bool ChartGestures::wheel(const QWheelEvent& event)
{
    const QPoint turned = event.angleDelta();
    const int sideways = event.modifiers() & Qt::ShiftModifier ? turned.x() + turned.y() : turned.x();
    if (sideways != 0 && !(event.modifiers() & Qt::ControlModifier)) {
        emit panWanted(-kNotchPanShare * sideways / kNotch);
        return true;
    }
    if (!(event.modifiers() & Qt::ControlModifier)) {
        emit bareWheelTurned();
        const_cast<QWheelEvent&>(event).ignore();
        return true; // filtered from the plot, which would swallow it; ignored, so the page scrolls
    }
    emit zoomWanted(positionOf(event.position().x()), std::pow(0.85, turned.y() / kNotch));
    return true;
}

void ChartGestures::showBox(double from, double to)
{
    m_box->topLeft->setCoords(from, 0);
    m_box->bottomRight->setCoords(to, 1);
    m_box->setVisible(true);
    m_plot.layer(QStringLiteral("cursor"))->replot();
}

void ChartGestures::hideBox()
{
    if (!m_box->visible())
        return;
    m_box->setVisible(false);
    m_plot.layer(QStringLiteral("cursor"))->replot();
}

double ChartGestures::positionOf(double pixel) const
{
    const QCPRange range = m_plot.xAxis->range();
    return std::clamp(m_plot.xAxis->pixelToCoord(pixel), range.lower, range.upper);
}

} // namespace trainyard
