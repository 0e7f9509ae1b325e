#include "app/shell/shortcut_sheet.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

QWidget* makeColumn(const ShortcutSheet::Section& section)
{
    auto* column = new QWidget;
    auto* grid = new QGridLayout(column);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(2 * metrics::kGap);
    grid->setVerticalSpacing(metrics::kHalf);
    grid->addWidget(makeLabel(section.title, "heading"), 0, 0, 1, 2);
    grid->setRowMinimumHeight(0, 3 * metrics::kGap);
    for (const KeyHint& hint : section.hints) {
        const int row = grid->rowCount();
        grid->addWidget(makeLabel(hint.keys, "mono"), row, 0);
        grid->addWidget(makeLabel(hint.effect), row, 1);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    grid->setColumnStretch(1, 1);
    return column;
}

} // namespace

ShortcutSheet::ShortcutSheet(QWidget* window) : QFrame(window), m_columns(new QHBoxLayout(this))
{
    setRole(this, "popup");
    setAccessibleName(tr("Keyboard shortcuts"));
    setFocusPolicy(Qt::StrongFocus);
    m_columns->setContentsMargins(metrics::kPagePadding, metrics::kPanelPadding, metrics::kPagePadding,
                                  metrics::kPagePadding);
    hide();
}

void ShortcutSheet::open(const QList<Section>& sections)
{
    delete m_content;
    m_content = new QWidget;
    auto* row = new QHBoxLayout(m_content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4 * metrics::kGap);
    for (const Section& section : sections)
        row->addWidget(makeColumn(section));
    m_columns->addWidget(m_content);
    adjustSize();
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
    show();
    raise();
    setFocus();
}

void ShortcutSheet::keyPressEvent(QKeyEvent*)
{
    hide();
}

void ShortcutSheet::mousePressEvent(QMouseEvent*)
{
    hide();
}

} // namespace trainyard
