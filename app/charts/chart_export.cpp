#include "app/charts/chart_export.h"

#include <QMenu>

#include <qcustomplot.h>

#include "app/charts/chart_panel.h"
#include "app/charts/image_export.h"

namespace trainyard {

namespace {

SavedPicture pictureOf(QCustomPlot& plot, const QString& title)
{
    const auto paint = [&plot](QPainter& painter) {
        plot.toPainter(static_cast<QCPPainter*>(&painter), plot.width(), plot.height());
    };
    return {title, plot.size(), plot.font(), plot.palette(), paint};
}

} // namespace

QImage chartImage(QCustomPlot& plot, const QString& title)
{
    return imageOf(pictureOf(plot, title));
}

Status saveChartImage(QCustomPlot& plot, const QString& title, const QString& file)
{
    return saveImage(pictureOf(plot, title), file);
}

ChartMenu::ChartMenu(ChartPanel& chart) : QToolButton(&chart), m_chart(chart)
{
    setText(QStringLiteral("⋯"));
    setToolTip(tr("Save or copy this chart"));
    setAccessibleName(tr("Save or copy this chart"));
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    menu->addAction(tr("Save image…"), this, [this] {
        saveAs(tr("Save image"), imageFilters(), QStringLiteral("png"),
               [this](const QString& file) { return m_chart.saveImage(file); });
    });
    menu->addAction(tr("Save values…"), this, [this] {
        saveAs(tr("Save values"), tr("CSV table (*.csv)"), QStringLiteral("csv"),
               [this](const QString& file) { return m_chart.saveValues(file); });
    });
    menu->addAction(tr("Copy image"), &m_chart, &ChartPanel::copyImage);
    setMenu(menu);
}

void ChartMenu::addPin()
{
    menu()->addAction(tr("Pin values (P, Ctrl + click)"), &m_chart, &ChartPanel::pinAtCursor);
}

void ChartMenu::saveAs(const QString& caption, const QString& filters, const QString& suffix,
                       const std::function<Status(const QString& file)>& save)
{
    const QString file = askForFile(&m_chart, caption, m_chart.title(), filters, suffix);
    if (file.isEmpty())
        return;
    const Status status = save(file);
    if (status.ok())
        emit m_chart.saved(file);
    else
        emit m_chart.saveFailed(status.error());
}

} // namespace trainyard
