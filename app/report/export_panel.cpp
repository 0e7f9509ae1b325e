#include "app/report/export_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kWidth = 240;

} // namespace

ExportPanel::ExportPanel(QWidget* parent) : QFrame(parent), m_facts(makeLabel({}, "muted"))
{
    setRole(this, "panel");
    setMinimumWidth(kWidth);
    setMaximumWidth(kWidth * 3 / 2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kPanelPadding, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addWidget(makeLabel(tr("Export"), "heading"));
    m_facts->setWordWrap(true);
    column->addWidget(m_facts);
    for (const auto& [format, title, use] :
         {std::tuple{"", tr("Save all formats…"), tr("Same content as PDF, HTML, CSV and JSON")},
          std::tuple{"pdf", tr("Save as PDF…"), tr("For print and email")},
          std::tuple{"html", tr("Save as web page…"), tr("One HTML file, light and dark")},
          std::tuple{"csv", tr("Save as CSV…"), tr("Tables and curves for a spreadsheet")},
          std::tuple{"json", tr("Save as JSON…"), tr("Everything, for programs")}}) {
        column->addSpacing(metrics::kHalf);
        column->addWidget(addFormat(QLatin1String(format), title, use));
        auto* help = makeLabel(use, "help");
        help->setWordWrap(true);
        column->addWidget(help);
    }
    column->addStretch(1);
}

QPushButton* ExportPanel::addFormat(const QString& format, const QString& title, const QString& use)
{
    auto* button = makeButton(title, m_buttons.isEmpty() ? "primary" : nullptr);
    button->setAccessibleDescription(use);
    connect(button, &QPushButton::clicked, this, [this, format] { emit exportRequested(format); });
    m_buttons.append(button);
    return button;
}

void ExportPanel::showFacts(const QString& facts, bool ready)
{
    m_facts->setText(facts);
    for (QPushButton* button : m_buttons)
        button->setEnabled(ready);
}

} // namespace trainyard
