#include "app/designer/scaling_panel.h"

#include <QHBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/designer/scaling_chart.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kChoiceWidth = 112;

QComboBox* makeChoice(const QString& name)
{
    auto* box = new ChoiceBox;
    box->setAccessibleName(name);
    box->setFixedWidth(kChoiceWidth);
    return box;
}

LegendEntry entryOf(const QString& text, int style)
{
    return {text, seriesStyle(ColourScheme::Light, style).colour,
            seriesStyle(ColourScheme::Dark, style).colour, Qt::SolidLine};
}

/// Shortens a title to e.g. "first phase, on 8 to 64 Gaudi", without the model, which is the design's.
QString shortTitle(const PublishedCurve& curve)
{
    const QString title = QString::fromStdString(curve.title);
    const QString rest = title.section(QStringLiteral(", "), 1);
    return rest.isEmpty() ? title : rest;
}

QList<LegendEntry> legendOf(const ScalingForecast& forecast, bool hasKept)
{
    QList<LegendEntry> entries{entryOf(ScalingPanel::tr("predicted"), 0),
                               {ScalingPanel::tr("ideal"), coloursOf(ColourScheme::Light).muted,
                                coloursOf(ColourScheme::Dark).muted, Qt::DashLine}};
    if (hasKept) {
        entries << entryOf(ScalingPanel::tr("saved design"), 0);
        entries.last().line = Qt::DotLine;
    }
    for (std::size_t i = 0; i < forecast.published.size(); ++i) {
        entries << entryOf(shortTitle(forecast.published[i]), ScalingChart::styleOfPublished(i));
        entries.last().marker = ScalingChart::markerOfPublished(i);
    }
    return entries;
}

QString sourcesOf(const ScalingForecast& forecast)
{
    QStringList lines;
    for (const PublishedCurve& curve : forecast.published) {
        QString line = QStringLiteral("%1: %2. %3")
                           .arg(QString::fromStdString(curve.name), QString::fromStdString(curve.title),
                                QString::fromStdString(curve.source));
        if (!curve.assumed.empty())
            line += ScalingPanel::tr(" (assumed: %1)").arg(QString::fromStdString(curve.assumed));
        lines << line;
    }
    return toolTipOf(lines.join(QLatin1Char('\n')));
}

} // namespace

ScalingPanel::ScalingPanel(QWidget* parent)
    : QWidget(parent)
    , m_scaling(makeChoice(tr("Scaling")))
    , m_metric(makeChoice(tr("Metric")))
    , m_readOut(new ElidedLabel("small"))
    , m_chart(new ScalingChart)
    , m_legend(new ChartLegend)
{
    m_scaling->addItem(tr("strong"), static_cast<int>(Scaling::Strong));
    m_scaling->addItem(tr("weak"), static_cast<int>(Scaling::Weak));
    m_scaling->setToolTip(
        tr("strong: the same global batch on more devices; weak: the same work per device"));
    m_metric->addItem(tr("efficiency"), static_cast<int>(ScalingChart::Metric::Efficiency));
    m_metric->addItem(tr("throughput"), static_cast<int>(ScalingChart::Metric::Throughput));
    m_metric->setToolTip(tr("efficiency: throughput per device relative to the smallest size; throughput: "
                            "sequences per second of all devices"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_scaling);
    head->addWidget(m_metric);
    head->addStretch(1);
    auto* column = columnLayout(this, metrics::kHalf, {0, metrics::kHalf, 0, 0});
    column->addLayout(head);
    column->addWidget(m_readOut);
    column->addWidget(m_chart, 1);
    column->addWidget(m_legend);

    connect(m_scaling, &QComboBox::currentIndexChanged, this,
            [this] { emit scalingChosen(static_cast<Scaling>(m_scaling->currentData().toInt())); });
    connect(m_metric, &QComboBox::currentIndexChanged, this, [this] {
        m_chart->setMetric(static_cast<ScalingChart::Metric>(m_metric->currentData().toInt()));
    });
    connect(m_chart, &ScalingChart::readOutChanged, this, [this](const QString& text) {
        m_readOut->setFullText(text.isEmpty() ? m_chart->presentReadOut() : text);
    });
}

void ScalingPanel::showForecast(const ScalingForecast& forecast)
{
    if (forecast.steps.empty())
        return showNothing(
            tr("The global batch is not divisible by any other device count: use weak scaling."));
    m_forecast = forecast;
    m_chart->setForecast(forecast);
    showLegend();
}

void ScalingPanel::showKept(const ScalingForecast& forecast)
{
    m_hasKept = !forecast.steps.empty();
    m_chart->setKept(forecast);
    showLegend();
}

void ScalingPanel::showLegend()
{
    m_legend->setEntries(legendOf(m_forecast, m_hasKept));
    m_legend->setToolTip(sourcesOf(m_forecast));
    m_legend->setVisible(!m_forecast.steps.empty());
}

void ScalingPanel::showNothing(const QString& why)
{
    m_forecast = {};
    m_chart->clear(why);
    showLegend();
}

} // namespace trainyard
