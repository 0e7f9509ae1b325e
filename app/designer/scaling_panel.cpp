#include "app/designer/scaling_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/designer/scaling_chart.h"
#include "app/models/display_text.h"
#include "app/models/theme.h"
#include "app/widgets/chart_legend.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/elided_label.h"

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

LegendEntry entryOf(const QString& text, int style, Qt::PenStyle line)
{
    return {text, seriesStyle(ColourScheme::Light, style).colour,
            seriesStyle(ColourScheme::Dark, style).colour, line};
}

QList<LegendEntry> legendOf(const ScalingOutlook& outlook)
{
    QList<LegendEntry> entries{entryOf(ScalingPanel::tr("predicted"), 0, Qt::SolidLine),
                               {ScalingPanel::tr("ideal"), coloursOf(ColourScheme::Light).muted,
                                coloursOf(ColourScheme::Dark).muted, Qt::DashLine}};
    for (std::size_t i = 0; i < outlook.published.size(); ++i)
        entries << entryOf(QString::fromStdString(outlook.published[i].name),
                           ScalingChart::styleOfPublished(static_cast<qsizetype>(i)), Qt::NoPen);
    return entries;
}

QString sourcesOf(const ScalingOutlook& outlook)
{
    QStringList lines;
    for (const PublishedCurve& curve : outlook.published) {
        QString line = QStringLiteral("%1: %2. %3")
                           .arg(QString::fromStdString(curve.name), QString::fromStdString(curve.title),
                                QString::fromStdString(curve.source));
        if (!curve.assumed.empty())
            line += ScalingPanel::tr(" (our choice: %1)").arg(QString::fromStdString(curve.assumed));
        lines << line;
    }
    return toolTipOf(lines.join(QLatin1Char('\n')));
}

} // namespace

ScalingPanel::ScalingPanel(QWidget* parent)
    : QWidget(parent)
    , m_scaling(makeChoice(tr("Scaling")))
    , m_figure(makeChoice(tr("Figure")))
    , m_readOut(new ElidedLabel("small"))
    , m_chart(new ScalingChart)
    , m_legend(new ChartLegend)
{
    m_scaling->addItem(tr("strong"), static_cast<int>(Scaling::Strong));
    m_scaling->addItem(tr("weak"), static_cast<int>(Scaling::Weak));
    m_scaling->setToolTip(
        tr("strong: the same global batch on more devices; weak: the same work per device"));
    m_figure->addItem(tr("efficiency"), static_cast<int>(ScalingChart::Figure::Efficiency));
    m_figure->addItem(tr("throughput"), static_cast<int>(ScalingChart::Figure::Throughput));
    m_readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* head = new QHBoxLayout;
    head->addWidget(m_scaling);
    head->addWidget(m_figure);
    head->addWidget(m_readOut, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, metrics::kHalf, 0, 0);
    column->setSpacing(metrics::kHalf);
    column->addLayout(head);
    column->addWidget(m_chart, 1);
    column->addWidget(m_legend);

    connect(m_scaling, &QComboBox::currentIndexChanged, this,
            [this] { emit scalingChosen(static_cast<Scaling>(m_scaling->currentData().toInt())); });
    connect(m_figure, &QComboBox::currentIndexChanged, this, [this] {
        m_chart->setFigure(static_cast<ScalingChart::Figure>(m_figure->currentData().toInt()));
    });
    connect(m_chart, &ScalingChart::readOutChanged, this, [this](const QString& text) {
        m_readOut->setFullText(text.isEmpty() ? m_chart->presentReadOut() : text);
    });
}

void ScalingPanel::showOutlook(const ScalingOutlook& outlook)
{
    if (outlook.steps.empty())
        return showNothing(tr("The global batch divides on no other number of devices: take weak scaling."));
    m_chart->setOutlook(outlook);
    m_legend->setEntries(legendOf(outlook));
    m_legend->setToolTip(sourcesOf(outlook));
    m_legend->show();
}

void ScalingPanel::showNothing(const QString& why)
{
    m_chart->clear(why);
    m_legend->hide();
}

} // namespace trainyard
