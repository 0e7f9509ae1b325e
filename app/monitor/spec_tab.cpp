#include "app/monitor/spec_tab.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/display_text.h"
#include "app/models/open_run.h"
#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

SpecTab::SpecTab(QWidget* parent)
    : QWidget(parent), m_path(makeLabel({}, "muted", this)), m_text(new QPlainTextEdit(this))
{
    m_text->setReadOnly(true);
    m_text->document()->setDocumentMargin(metrics::kGap);
    m_text->setAccessibleName(tr("Specification"));
    setRole(m_text, "mono");
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_path->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* copy = makeButton(tr("Copy"), nullptr, this);
    copy->setToolTip(tr("Copies the specification as JSON"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text->toPlainText()); });

    auto* bar = new QHBoxLayout;
    bar->addWidget(m_path, 1);
    bar->addWidget(copy);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, metrics::kGap, 0, 0);
    column->setSpacing(metrics::kGap);
    column->addLayout(bar);
    column->addWidget(m_text, 1);
}

void SpecTab::show(const OpenRun& run)
{
    if (m_text->toPlainText() != run.facts().specText)
        m_text->setPlainText(run.facts().specText);
    m_path->setText(oneLine(run.facts().folder) + QStringLiteral("/spec.json"));
}

} // namespace trainyard
