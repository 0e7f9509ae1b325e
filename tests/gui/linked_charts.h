#pragma once

#include <cmath>
#include <memory>

#include <QCoreApplication>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QWidget>

#include <qcustomplot.h>

#include "app/charts/chart_options.h"
#include "app/charts/curve_chart.h"

namespace trainyard::test {

/// A falling curve of `n` steps, from 10 towards 3.
inline Curve falling(int n)
{
    Curve curve{"loss", {}, {}, 0};
    for (int step = 1; step <= n; ++step) {
        curve.x.append(step);
        curve.y.append(3 + 7 * std::exp(-step / (n * 0.2)));
    }
    return curve;
}

/// Every value as it is.
inline ChartOptions raw()
{
    ChartOptions options;
    options.smoothing.weight = 0;
    return options;
}

/// Two charts of a falling curve of 100 steps, which share cursor and zoom, in a window that is shown.
class LinkedCharts {
public:
    void open()
    {
        m_window = std::make_unique<QWidget>();
        m_link = std::make_unique<ChartLink>();
        m_first = new CurveChart("Loss", Quantity::Number);
        m_second = new CurveChart("Norm", Quantity::Number);
        auto* column = new QVBoxLayout(m_window.get());
        for (CurveChart* chart : {m_first, m_second}) {
            column->addWidget(chart);
            chart->setLink(m_link.get());
            chart->setOptions(raw());
            chart->setCurves({falling(100)});
        }
        m_window->resize(700, 500);
        m_window->show();
        replot();
    }
    void close() { m_window.reset(); }

protected:
    static QCustomPlot* plot(const QWidget* chart) { return chart->findChild<QCustomPlot*>(); }
    void replot()
    {
        m_first->replotNow();
        m_second->replotNow();
    }
    static QPoint pixelOf(const CurveChart* chart, double x)
    {
        return {int(std::lround(plot(chart)->xAxis->coordToPixel(x))), plot(chart)->height() / 2};
    }
    bool turnWheel(Qt::KeyboardModifiers modifiers, const QPoint& at)
    {
        QWheelEvent event(at, plot(m_first)->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot(m_first), &event);
        return event.isAccepted();
    }

    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<ChartLink> m_link;
    CurveChart* m_first = nullptr; ///< owned by the window, as is the second one
    CurveChart* m_second = nullptr;
};

} // namespace trainyard::test
