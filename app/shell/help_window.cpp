#include "app/shell/help_window.h"

#include <algorithm>

#include <QLineEdit>
#include <QListWidget>
#include <QShortcut>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/base/help_topics.h"
#include "app/base/theme.h"

namespace trainyard {

namespace {
constexpr QSize kSize(840, 560);
constexpr int kListWidth = 240;
} // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent), m_filter(new QLineEdit), m_list(new QListWidget), m_text(new QTextBrowser)
{
    setWindowTitle(tr("Help"));
    resize(kSize);
    m_filter->setPlaceholderText(tr("Search help"));
    m_filter->setAccessibleName(tr("Search help"));
    m_filter->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Help topics"));
    m_text->setAccessibleName(tr("Help"));
    m_text->setOpenLinks(false);
    m_text->setFrameShape(QFrame::NoFrame);
    m_list->setFrameShape(QFrame::NoFrame);
    m_text->document()->setDocumentMargin(metrics::kPanelPadding);

    auto* split = new QSplitter;
    split->setChildrenCollapsible(false);
    split->addWidget(m_list);
    split->addWidget(m_text);
    split->setStretchFactor(1, 1);
    split->setSizes({kListWidth, kSize.width() - kListWidth});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kGap, metrics::kGap, metrics::kGap, metrics::kGap);
    column->addWidget(m_filter);
    column->addWidget(split, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &HelpWindow::fill);
    connect(m_list, &QListWidget::currentRowChanged, this, &HelpWindow::showCurrent);
    auto* find = new QShortcut(QKeySequence::Find, this);
    connect(find, &QShortcut::activated, m_filter, [this] { m_filter->setFocus(); });
    fill({});
}

void HelpWindow::open()
{
    show();
    raise();
    activateWindow();
    m_filter->setFocus();
    m_filter->selectAll();
}

void HelpWindow::fill(const QString& words)
{
    m_list->clear();
    for (const HelpTopic& topic : helpTopicsWith(words)) {
        auto* item = new QListWidgetItem(topic.title, m_list);
        item->setData(Qt::UserRole, topic.text);
        item->setToolTip(topic.title);
    }
    m_list->setCurrentRow(0);
    if (m_list->count() == 0)
        m_text->setMarkdown(tr("Nothing in the help has all of these words."));
}

void HelpWindow::showCurrent()
{
    if (const QListWidgetItem* item = m_list->currentItem())
        m_text->setMarkdown(item->data(Qt::UserRole).toString());
}

} // namespace trainyard
