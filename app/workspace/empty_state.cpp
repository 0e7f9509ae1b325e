#include "app/workspace/empty_state.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {
constexpr int kPictureSize = 40;
constexpr int kTextWidth = 420;
} // namespace

EmptyState::EmptyState(const QString& icon, const QString& heading, const QString& sentence,
                       const QString& action, QWidget* parent)
    : QWidget(parent), m_icon(icon), m_picture(makeLabel({}))
{
    auto* title = makeLabel(heading, "heading");
    auto* text = makeParagraph(sentence, "muted");
    text->setAlignment(Qt::AlignHCenter);
    text->setFixedWidth(kTextWidth);

    auto* column = new QVBoxLayout(this);
    column->setSpacing(metrics::kGap);
    column->addStretch(2);
    column->addWidget(m_picture, 0, Qt::AlignHCenter);
    column->addSpacing(metrics::kGap);
    column->addWidget(title, 0, Qt::AlignHCenter);
    auto* line = new QHBoxLayout; // keeps the label's height for its width, which an alignment would not
    line->addStretch(1);
    line->addWidget(text);
    line->addStretch(1);
    column->addLayout(line);
    if (!action.isEmpty()) {
        auto* button = makeButton(action, "primary");
        connect(button, &QPushButton::clicked, this, &EmptyState::actionRequested);
        column->addSpacing(metrics::kGap);
        column->addWidget(button, 0, Qt::AlignHCenter);
    }
    column->addStretch(3);
    updatePicture();
}

void EmptyState::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        updatePicture();
    QWidget::changeEvent(event);
}

void EmptyState::updatePicture()
{
    m_picture->setPixmap(symbolPixmap(m_icon, coloursOf(palette()).muted, kPictureSize, devicePixelRatioF()));
}

} // namespace trainyard
