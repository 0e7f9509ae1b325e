#include "app/data/data_set_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/fact_table.h"
#include "app/data/length_chart.h"
#include "app/data/sample_browser.h"
#include "app/hosts/model/host_entry.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr std::size_t kFiguresOfText = 6; ///< the others are of labelled examples alone

QStringList figureNames()
{
    return {DataSetPanel::tr("tokens"),       DataSetPanel::tr("training rows"),
            DataSetPanel::tr("test rows"),    DataSetPanel::tr("shards"),
            DataSetPanel::tr("row length"),   DataSetPanel::tr("vocabulary"),
            DataSetPanel::tr("learned from"), DataSetPanel::tr("examples")};
}

QStringList figuresOf(const DataSetEntry& entry)
{
    const auto number = [](auto value) { return displayNumber(static_cast<double>(value)); };
    return {number(entry.tokens),
            number(entry.rows - entry.testRows),
            number(entry.testRows),
            number(entry.shards),
            entry.maxPredictions > 0
                ? QStringLiteral("%1 × %2").arg(entry.sequenceLength).arg(entry.maxPredictions)
                : QString::number(entry.sequenceLength),
            number(entry.vocabularySize),
            taskTextOf(entry),
            number(entry.documents)};
}

QWidget* framed(QWidget* content)
{
    auto* panel = makePanel();
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, 1, 1, 1);
    column->addWidget(content);
    return panel;
}

} // namespace

DataSetPanel::DataSetPanel(QWidget* parent)
    : QWidget(parent)
    , m_name(new ElidedLabel("heading"))
    , m_folder(new ElidedLabel("mono", Qt::ElideMiddle))
    , m_verify(makeButton(tr("&Verify")))
    , m_tabs(new QTabWidget)
    , m_samples(new SampleBrowser)
    , m_lengths(new LengthChart)
    , m_statistics(new FactTable(tr("Statistics")))
    , m_counters(new FactTable(tr("Filtered out")))
    , m_settings(new FactTable(tr("Settings")))
    , m_shards(new FactTable(tr("Shards")))
    , m_note(makeLabel({}, "muted"))
    , m_copy(makeButton(tr("&Copy manifest")))
{
    auto* use = makeButton(tr("&Use in a run"), "primary");
    auto* remove = makeButton(tr("Remove"), "danger");
    m_folder->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* header = new QHBoxLayout;
    header->setSpacing(metrics::kGap);
    header->addWidget(m_name, 1);
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
    addTabs();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    column->addWidget(panel);
    column->addWidget(m_tabs, 1);

    connect(m_verify, &QPushButton::clicked, this,
            [this] { m_verifying ? emit cancelRequested() : emit verifyRequested(); });
    connect(use, &QPushButton::clicked, this, &DataSetPanel::useRequested);
    connect(remove, &QPushButton::clicked, this, &DataSetPanel::removeRequested);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(m_manifest)); });
}

void DataSetPanel::addTabs()
{
    m_tabs->addTab(m_samples, tr("Samples"));
    m_tabs->addTab(makeLengths(), tr("Lengths and tokens"));
    m_tabs->addTab(framed(m_counters), tr("Filtered out"));
    m_tabs->addTab(makeManifest(), tr("Manifest"));
    m_note->setContentsMargins(metrics::kPanelPadding, 0, 0, 0);
    m_note->setWordWrap(true);
}

QWidget* DataSetPanel::makeLengths()
{
    auto* panel = makePanel();
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, 1, 1);
    column->setSpacing(metrics::kGap);
    column->addWidget(m_lengths, 2);
    column->addWidget(m_statistics, 3);
    return panel;
}

QWidget* DataSetPanel::makeManifest()
{
    auto* panel = makePanel();
    auto* header = new QHBoxLayout;
    header->addWidget(m_note, 1);
    header->addWidget(m_copy);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, metrics::kGap, metrics::kGap, 1);
    column->setSpacing(metrics::kGap);
    column->addLayout(header);
    column->addWidget(m_settings, 3);
    column->addWidget(makeSeparator());
    column->addWidget(m_shards, 2);
    return panel;
}

QWidget* DataSetPanel::makeFigures()
{
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, metrics::kHalf, 0, 0);
    row->setSpacing(3 * metrics::kGap);
    for (const QString& name : figureNames()) {
        auto* figure = new QWidget;
        auto* column = columnLayout(figure, 0);
        auto* value = makeLabel({}, "figure");
        value->setAccessibleName(name);
        m_figures.push_back(value);
        column->addWidget(value);
        column->addWidget(makeLabel(name, "small"));
        row->addWidget(figure);
    }
    row->addStretch(1);
    return widget;
}

void DataSetPanel::showDataSet(const DataSetEntry& entry)
{
    m_name->setFullText(oneLine(entry.name));
    const QString host = entry.host == thisMachine() ? tr("This machine") : oneLine(entry.host);
    m_folder->setFullText(QStringLiteral("%1  %2").arg(host, oneLine(entry.folder)));
    m_verifying = entry.check == DataSetEntry::Check::Verifying;
    m_verify->setToolTip(m_verifying ? QString()
                                     : tr("Reads every row on its host and checks all invariants"));
    m_verify->setText(m_verifying                                       ? tr("Cancel")
                      : entry.check == DataSetEntry::Check::NotVerified ? tr("&Verify")
                                                                        : tr("&Verify again"));
    const QStringList figures = figuresOf(entry);
    for (std::size_t i = 0; i < m_figures.size(); ++i) {
        m_figures[i]->setText(figures[static_cast<qsizetype>(i)]);
        m_figures[i]->parentWidget()->setVisible(i < kFiguresOfText || !taskTextOf(entry).isEmpty());
    }
}

void DataSetPanel::showDetails(const DataSetDetails& details)
{
    m_manifest = details.manifest;
    m_lengths->setLengths(details.rowsByLength, details.sequenceLength);
    m_told = details.statistics;
    showStatistics();
    m_counters->setTable(details.counters);
    m_settings->setTable(details.settings);
    m_shards->setTable(details.shards);
    m_copy->setEnabled(true);
    m_note->setText(tr("Settings and shard checksums"));
}

void DataSetPanel::addStatistics(const TextTable& more)
{
    m_counted = more;
    showStatistics();
}

void DataSetPanel::showStatistics()
{
    TextTable all = m_told;
    if (all.columns.isEmpty())
        all.columns = m_counted.columns;
    all.rows += m_counted.rows;
    m_statistics->setTable(all);
}

void DataSetPanel::setDetailsNote(const QString& note)
{
    showDetails({});
    m_copy->setEnabled(false);
    m_note->setText(note);
}

} // namespace trainyard
