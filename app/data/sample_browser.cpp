#include "app/data/sample_browser.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QTextEdit>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/data/sample_html.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kWidestLine = 1040; ///< longer lines are hard to read

/// What a row of a task is labelled with as a whole; empty where its tokens are.
QString rowLabel(const SampleRow& row)
{
    if (row.task == "classify")
        return SampleBrowser::tr("Class: %1").arg(row.label);
    if (row.task == "regress")
        return SampleBrowser::tr("Number: %1").arg(row.label);
    if (row.task == "answer" && !row.hasTargets())
        return SampleBrowser::tr("No answer in this row");
    return {};
}

QString pairText(const SampleRow& row, const QString& nextSentence)
{
    if (!row.task.empty())
        return rowLabel(row);
    if (!row.isPair())
        return {};
    if (!row.randomNext)
        return SampleBrowser::tr("◆ B follows A");
    return nextSentence == QLatin1String("swap") ? SampleBrowser::tr("◇ A follows B")
                                                 : SampleBrowser::tr("◇ B is from another document");
}

} // namespace

SampleBrowser::SampleBrowser(QWidget* parent)
    : QFrame(parent)
    , m_where(makeLabel({}, "muted"))
    , m_label(makeLabel({}))
    , m_previous(makeButton(tr("‹ Previous")))
    , m_next(makeButton(tr("Next ›")))
    , m_text(new QTextEdit)
    , m_legend(new QLabel)
{
    setRole(this, "panel");
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setTabChangesFocus(true);
    m_text->setMaximumWidth(kWidestLine);
    m_text->setAccessibleName(tr("Decoded row"));
    m_text->setStyleSheet(QStringLiteral("QTextEdit { border: none; background: transparent; }"));

    auto* header = new QHBoxLayout;
    header->setSpacing(metrics::kGap);
    header->addWidget(makeLabel(tr("Samples"), "heading"));
    header->addWidget(m_where);
    header->addStretch(1);
    header->addWidget(m_label);
    header->addSpacing(metrics::kGap);
    header->addWidget(m_previous);
    header->addWidget(m_next);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kPanelPadding, metrics::kGap);
    column->setSpacing(metrics::kGap);
    column->addLayout(header);
    column->addWidget(m_text, 1);
    column->addWidget(m_legend);

    connect(m_previous, &QPushButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QPushButton::clicked, this, [this] { step(1); });
    showCurrent();
}

void SampleBrowser::setSamples(std::vector<SampleRow> samples)
{
    m_samples = std::move(samples);
    m_current = 0;
    m_note.clear();
    showCurrent();
}

void SampleBrowser::setNextSentence(const QString& nextSentence)
{
    m_nextSentence = nextSentence;
    showCurrent();
}

void SampleBrowser::setNote(const QString& note)
{
    m_samples.clear();
    m_note = note;
    showCurrent();
}

void SampleBrowser::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        showCurrent();
    QFrame::changeEvent(event);
}

void SampleBrowser::step(int by)
{
    const int count = static_cast<int>(m_samples.size());
    m_current = (m_current + by + count) % count;
    showCurrent();
}

void SampleBrowser::showCurrent()
{
    const ThemeColours& colours = coloursOf(palette());
    const bool any = !m_samples.empty();
    m_previous->setEnabled(m_samples.size() > 1);
    m_next->setEnabled(m_samples.size() > 1);
    m_legend->setVisible(any);
    if (!any) {
        m_where->clear();
        m_label->clear();
        m_text->setHtml(
            QStringLiteral("<p style=\"color:%1\">%2</p>").arg(colours.muted.name(), m_note.toHtmlEscaped()));
        return;
    }
    const SampleRow& row = m_samples[static_cast<std::size_t>(m_current)];
    m_where->setText(
        tr("%1 of %2 · %3 row %4").arg(m_current + 1).arg(m_samples.size()).arg(row.shard).arg(row.row));
    m_label->setText(pairText(row, m_nextSentence));
    m_text->setHtml(sampleHtml(row, colours));
    m_legend->setText(sampleLegendHtml(row, colours));
}

} // namespace trainyard
