#include "app/data/data_set_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/data/sample_browser.h"
#include "app/models/display_text.h"
#include "app/models/host_entry.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

QStringList figureNames()
{
    return {DataSetPanel::tr("tokens"), DataSetPanel::tr("training rows"), DataSetPanel::tr("test rows"),
            DataSetPanel::tr("shards"), DataSetPanel::tr("row length"),    DataSetPanel::tr("vocabulary")};
}

QStringList figuresOf(const DataSetEntry& entry)
{
    const auto number = [](auto value) { return displayNumber(static_cast<double>(value)); };
    return {number(entry.tokens),
            number(entry.rows - entry.testRows),
            number(entry.testRows),
            number(entry.shards),
            QStringLiteral("%1 × %2").arg(entry.sequenceLength).arg(entry.maxPredictions),
            number(entry.vocabularySize)};
}

} // namespace

DataSetPanel::DataSetPanel(QWidget* parent)
    : QWidget(parent)
    , m_name(makeLabel({}, "heading"))
    , m_folder(makeLabel({}, "mono"))
    , m_verify(makeButton(tr("&Verify")))
    , m_samples(new SampleBrowser)
{
    auto* use = makeButton(tr("&Use in a run"), "primary");
    auto* remove = makeButton(tr("Remove"), "danger");
    m_folder->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* header = new QHBoxLayout;
    header->setSpacing(metrics::kGap);
    header->addWidget(m_name);
    header->addStretch(1);
    header->addWidget(remove);
    header->addWidget(m_verify);
    header->addWidget(use);
    auto* panel = makePanel();
    auto* inner = new QVBoxLayout(panel);
    inner->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding,
                              metrics::kPanelPadding);
    inner->setSpacing(metrics::kGap);
    inner->addLayout(header);
    inner->addWidget(m_folder);
    inner->addWidget(makeFigures());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kPanelPadding);
    column->addWidget(panel);
    column->addWidget(m_samples, 1);

    connect(m_verify, &QPushButton::clicked, this, &DataSetPanel::verifyRequested);
    connect(use, &QPushButton::clicked, this, &DataSetPanel::useRequested);
    connect(remove, &QPushButton::clicked, this, &DataSetPanel::removeRequested);
}

QWidget* DataSetPanel::makeFigures()
{
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, metrics::kHalf, 0, 0);
    row->setSpacing(3 * metrics::kGap);
    for (const QString& name : figureNames()) {
        auto* column = new QVBoxLayout;
        column->setSpacing(0);
        auto* value = makeLabel({}, "figure");
        value->setAccessibleName(name);
        m_figures.push_back(value);
        column->addWidget(value);
        column->addWidget(makeLabel(name, "small"));
        row->addLayout(column);
    }
    row->addStretch(1);
    return widget;
}

void DataSetPanel::showDataSet(const DataSetEntry& entry)
{
    m_name->setText(entry.name);
    const QString host = entry.host == thisMachine() ? tr("This machine") : entry.host;
    m_folder->setText(QStringLiteral("%1  %2").arg(host, entry.folder));
    const bool here = entry.host == thisMachine();
    m_verify->setEnabled(here && entry.check != DataSetEntry::Check::Verifying);
    m_verify->setToolTip(here ? QString() : tr("A data set is verified on the host that it lies on"));
    m_verify->setText(entry.check == DataSetEntry::Check::NotVerified ? tr("&Verify") : tr("&Verify again"));
    const QStringList figures = figuresOf(entry);
    for (std::size_t i = 0; i < m_figures.size(); ++i)
        m_figures[i]->setText(figures[static_cast<qsizetype>(i)]);
}

} // namespace trainyard
