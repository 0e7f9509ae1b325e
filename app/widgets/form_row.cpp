#include "app/widgets/form_row.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

const QChar kZeroWidthSpace(0x200b);

} // namespace

QString breakable(QString text)
{
    return text.replace(QLatin1Char('/'), QLatin1String("/") + kZeroWidthSpace);
}

FormRow::FormRow(const QString& label, QWidget* field, const QString& help, Help shown, QWidget* parent)
    : QWidget(parent)
    , m_shown(shown)
    , m_name(makeLabel(label))
    , m_field(field)
    , m_note(makeParagraph({}, "help"))
{
    m_name->setFixedWidth(kLabelWidth);
    m_name->setWordWrap(true); // two lines are as high as a field
    m_name->setMinimumHeight(metrics::kControlHeight);
    m_name->setBuddy(field);
    field->setAccessibleName(label);
    field->installEventFilter(this);

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->addWidget(m_name, 0, 0, Qt::AlignTop);
    auto* line = rowLayout();
    line->addWidget(field, 1);
    grid->addLayout(line, 0, 1);
    grid->addWidget(m_note, 1, 1);
    setFocusProxy(field);
    setHelp(help);
}

/// A problem that was shown belongs to what the field was before.
void FormRow::setHelp(const QString& help)
{
    m_help = help;
    m_field->setToolTip(wrappedToolTip(help));
    m_name->setToolTip(m_field->toolTip());
    setError({});
}

void FormRow::addBeside(QWidget* widget)
{
    auto* beside = static_cast<QGridLayout*>(layout())->itemAtPosition(0, 1)->layout();
    static_cast<QHBoxLayout*>(beside)->addWidget(widget, 0, Qt::AlignTop);
}

void FormRow::setMuted(bool muted)
{
    setStyleProperty(m_name, "role", muted ? "muted" : "");
}

void FormRow::setError(const QString& sentence)
{
    const bool wrong = !sentence.isEmpty();
    setRole(m_note, wrong ? "error" : "help");
    m_note->setText(wrong ? breakable(sentence) : m_help);
    m_note->setVisible(wrong || (m_shown == Help::Always && !m_help.isEmpty()));
    setStyleProperty(m_field, "invalid", wrong);
    m_field->setAccessibleDescription(wrong ? sentence : m_help);
}

QString FormRow::error() const
{
    return m_note->property("role") == QLatin1String("error") ? m_note->text().remove(kZeroWidthSpace)
                                                              : QString();
}

bool FormRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::Enter)
        emit helpWanted(m_help);
    return QWidget::eventFilter(watched, event);
}

} // namespace trainyard
