#include "app/workspace/message_bar.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {

struct ToneLook {
    const char* property;
    QChar shape;
    const char* spoken;
};

ToneLook lookOf(MessageBar::Tone tone)
{
    switch (tone) {
    case MessageBar::Tone::Good:
        return {"good", QChar(0x2713), "Done"};
    case MessageBar::Tone::Warning:
        return {"warning", QChar(0x25C6), "Warning"};
    case MessageBar::Tone::Bad:
        return {"bad", QChar(0x2715), "Error"};
    case MessageBar::Tone::Info:
        break;
    }
    return {"info", QChar(0x25CF), "Note"};
}

QLabel* makeText(const char* role)
{
    auto* label = makeParagraph({}, role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent)
    , m_shape(makeLabel({}, "heading"))
    , m_text(makeText(nullptr))
    , m_detail(makeText("help"))
    , m_progress(new QProgressBar)
    , m_fields(new QVBoxLayout)
    , m_actions(new QHBoxLayout)
    , m_close(new QToolButton)
{
    setRole(this, "strip");
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress"));
    m_close->setIcon(symbolIcon(QStringLiteral("close")));
    m_close->setIconSize({16, 16});
    m_close->setAccessibleName(tr("Close message"));
    m_close->setToolTip(tr("Close (Esc)"));
    connect(m_close, &QToolButton::clicked, this, [this] {
        clear();
        emit closed();
    });

    auto* texts = columnLayout(nullptr, metrics::kHalf);
    texts->addWidget(m_text);
    texts->addWidget(m_detail);
    texts->addLayout(m_fields);
    texts->addWidget(m_progress);
    m_actions->setSpacing(metrics::kGap);

    auto* row = rowLayout(this, metrics::kPanelPadding,
                          {metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap});
    row->addWidget(m_shape, 0, Qt::AlignTop);
    row->addLayout(texts, 1);
    row->addLayout(m_actions);
    row->addWidget(m_close, 0, Qt::AlignTop);
    hide();
}

void MessageBar::showMessage(Tone tone, const QString& text, const QString& detail)
{
    rememberFocus();
    removeActions();
    setTone(tone);
    setTexts(text, detail);
    m_progress->hide();
    setClosable(true);
    show();
}

void MessageBar::showError(const Error& error)
{
    showMessage(Tone::Bad, asSentence(QString::fromStdString(error.message)),
                asSentence(QString::fromStdString(error.hint)));
}

void MessageBar::showProgress(const QString& text, double fraction, const QString& detail)
{
    rememberFocus();
    // Called for every step of the work: the buttons stay, so that Cancel keeps the focus.
    if (!m_progress->isVisibleTo(this))
        removeActions();
    setTone(Tone::Info);
    setTexts(text, detail);
    m_progress->setRange(0, fraction < 0 ? 0 : 1000);
    m_progress->setValue(fraction < 0 ? 0 : qRound(fraction * 1000));
    m_progress->show();
    setClosable(false);
    show();
}

QPushButton* MessageBar::addAction(const QString& text, std::function<void()> action, bool isDefault)
{
    auto* button = makeButton(text);
    connect(button, &QPushButton::clicked, this, [action = std::move(action)] { action(); });
    m_actions->addWidget(button, 0, Qt::AlignVCenter);
    button->show(); // now, not at the next turn of the event loop: a hidden button takes no focus
    if (isDefault)
        button->setFocus();
    return button;
}

void MessageBar::addField(QWidget* field)
{
    m_fields->addWidget(field);
    field->show();
}

void MessageBar::setClosable(bool closable)
{
    if (!closable && m_close->hasFocus())
        setFocus();
    m_close->setVisible(closable);
}

void MessageBar::clear()
{
    removeActions();
    returnFocus();
    m_progress->hide();
    hide();
}

QString MessageBar::text() const
{
    return m_detail->text().isEmpty() ? m_text->text()
                                      : m_text->text() + QStringLiteral(" — ") + m_detail->text();
}

void MessageBar::setTone(Tone tone)
{
    m_tone = tone;
    const ToneLook look = lookOf(tone);
    setStyleProperty(this, "tone", QLatin1String(look.property));
    m_shape->setText(look.shape);
    m_shape->setAccessibleName(QLatin1String(look.spoken));
}

void MessageBar::setTexts(const QString& text, const QString& detail)
{
    m_text->setText(text);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    setAccessibleName(text);
    setAccessibleDescription(detail);
}

void MessageBar::rememberFocus()
{
    QWidget* focus = window()->focusWidget();
    if (focus && focus != this && !isAncestorOf(focus))
        m_focusBefore = focus;
}

void MessageBar::returnFocus()
{
    const QWidget* focus = window()->focusWidget();
    const bool isHere = focus && (focus == this || isAncestorOf(focus));
    if (isHere && m_focusBefore && m_focusBefore->isVisible() && m_focusBefore->isEnabled())
        m_focusBefore->setFocus();
}

void MessageBar::removeActions()
{
    // Hidden with the focus, a button would hand it to whatever Tab reaches next, wherever that is.
    if (const QWidget* focus = window()->focusWidget(); focus && focus != m_close && isAncestorOf(focus))
        setFocus();
    for (QBoxLayout* layout : std::initializer_list<QBoxLayout*>{m_fields, m_actions}) {
        while (QLayoutItem* item = layout->takeAt(0)) {
            if (QWidget* widget = item->widget()) {
                widget->hide();
                widget->deleteLater(); // may be the sender
            }
            delete item;
        }
    }
}

} // namespace trainyard
