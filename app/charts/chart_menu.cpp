#include "app/charts/chart_menu.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QRegularExpression>

#include "app/charts/chart_panel.h"

namespace trainyard {

ChartMenu::ChartMenu(ChartPanel& chart) : QToolButton(&chart), m_chart(chart)
{
    setText(QStringLiteral("⋯"));
    setToolTip(tr("Save or copy this chart"));
    setAccessibleName(tr("Save or copy this chart"));
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    menu->addAction(tr("Save image…"), this, [this] {
        askForFile(tr("Save image"), tr("PNG image (*.png);;SVG drawing (*.svg);;PDF page (*.pdf)"),
                   QStringLiteral("png"), [this](const QString& file) { return m_chart.saveImage(file); });
    });
    menu->addAction(tr("Save values…"), this, [this] {
        askForFile(tr("Save values"), tr("CSV table (*.csv)"), QStringLiteral("csv"),
                   [this](const QString& file) { return m_chart.saveValues(file); });
    });
    menu->addAction(tr("Copy image"), &m_chart, &ChartPanel::copyImage);
    setMenu(menu);
}

void ChartMenu::addPin()
{
    menu()->addAction(tr("Pin values (P, Ctrl + click)"), &m_chart, &ChartPanel::pinAtCursor);
}

void ChartMenu::askForFile(const QString& caption, const QString& filters, const QString& suffix,
                           const std::function<Status(const QString& file)>& save)
{
    static const QRegularExpression others(QStringLiteral("[^a-z0-9]+"));
    const QString proposal = m_chart.title().toLower().replace(others, QStringLiteral("-"));
    QString file =
        QFileDialog::getSaveFileName(&m_chart, caption, proposal + QLatin1Char('.') + suffix, filters);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QLatin1Char('.') + suffix;
    const Status status = save(file);
    if (status.ok())
        emit m_chart.saved(file);
    else
        emit m_chart.saveFailed(status.error());
}

} // namespace trainyard
