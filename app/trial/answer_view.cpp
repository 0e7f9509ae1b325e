#include "app/trial/answer_view.h"

#include <QEvent>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTextCursor>

#include "app/base/display_text.h"
#include "app/trial/answer_table_view.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

QString newTokensText(int count)
{
    return count == 1 ? AnswerView::tr("1 new token")
                      : AnswerView::tr("%1 new tokens").arg(displayCount(count));
}

/// The first token is not counted: the time runs from it on.
QString paceText(const TrialStatus& status)
{
    const QString count = newTokensText(status.answer.newTokens());
    if (status.answer.newTokens() < 2 || status.seconds <= 0)
        return count;
    const double perSecond = (status.answer.newTokens() - 1) / status.seconds;
    return AnswerView::tr("%1, %2 per second").arg(count, displayNumber(perSecond));
}

QString stateText(const TrialStatus& status)
{
    using State = TrialStatus::State;
    const bool continues = status.answer.newTokens() > 0;
    switch (status.state) {
    case State::Idle:
        return {};
    case State::Starting:
        return status.activity.isEmpty() ? QString() : status.activity + QStringLiteral("…");
    case State::Working:
        return continues ? paceText(status) : AnswerView::tr("computing…");
    case State::Done:
        return continues ? paceText(status) : QString();
    case State::Failed:
        return continues ? AnswerView::tr("failed after %1").arg(newTokensText(status.answer.newTokens()))
                         : AnswerView::tr("failed");
    case State::Cancelled:
        return continues ? AnswerView::tr("cancelled after %1").arg(newTokensText(status.answer.newTokens()))
                         : AnswerView::tr("cancelled");
    }
    return {};
}

} // namespace

AnswerView::AnswerView(const QString& name, QWidget* parent)
    : QFrame(parent)
    , m_model(new ElidedLabel("heading", Qt::ElideMiddle))
    , m_state(new ElidedLabel("muted"))
    , m_remark(makeParagraph({}, "small"))
    , m_pages(new QStackedWidget)
    , m_note(makeParagraph({}, "muted"))
    , m_text(new QPlainTextEdit)
    , m_answers(new AnswerTableView(name))
{
    setRole(this, "panel");
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(name);
    for (QWidget* page :
         {static_cast<QWidget*>(m_note), static_cast<QWidget*>(m_text), static_cast<QWidget*>(m_answers)})
        m_pages->addWidget(page);
    auto* column = columnLayout(this, metrics::kGap, metrics::kPanelMargins);
    column->addWidget(m_model);
    column->addWidget(m_state);
    column->addWidget(m_remark);
    column->addWidget(m_pages, 1);
    setStatus({});
}

void AnswerView::setStatus(const TrialStatus& status)
{
    m_shown = status;
    m_model->setFullText(status.model);
    const QString state = stateText(status);
    m_state->setFullText(state);
    m_state->setVisible(!state.isEmpty());
    m_remark->setText(status.remark);
    m_remark->setVisible(!status.remark.isEmpty());
    if (status.answer.newTokens() > 0)
        return showText(status);
    if (!status.answer.isEmpty()) {
        m_answers->setAnswer(status.text, status.answer);
        m_pages->setCurrentWidget(m_answers);
        return;
    }
    if (status.error)
        return showError(*status.error);
    showNote(status.state == TrialStatus::State::Idle ? tr("The answer appears here.") : QString());
}

void AnswerView::showNote(const QString& note)
{
    setRole(m_note, "muted");
    m_note->setText(note);
    m_pages->setCurrentWidget(m_note);
}

void AnswerView::showError(const Error& error)
{
    setRole(m_note, "error");
    QString text = oneLine(QString::fromStdString(error.message));
    if (!error.hint.empty())
        text += QStringLiteral("\n") + oneLine(QString::fromStdString(error.hint));
    m_note->setText(text);
    m_pages->setCurrentWidget(m_note);
}

/// Adds what is new, so that a selection and the place that is read stay.
void AnswerView::showText(const TrialStatus& status)
{
    m_pages->setCurrentWidget(m_text);
    const QString& continuation = status.answer.continuation();
    if (status.text.text != m_givenText || continuation.size() < m_appended ||
        m_text->document()->isEmpty()) {
        m_text->clear();
        m_givenText = status.text.text;
        m_appended = 0;
        append(m_givenText, true);
    }
    append(continuation.mid(m_appended), false);
    m_appended = continuation.size();
}

void AnswerView::append(const QString& text, bool isGiven)
{
    QScrollBar* bar = m_text->verticalScrollBar();
    const bool follows = bar->value() == bar->maximum();
    const ThemeColours& colours = coloursOf(palette());
    QTextCharFormat format;
    format.setForeground(isGiven ? colours.muted : colours.text);
    QTextCursor cursor(m_text->document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(text, format);
    if (follows)
        bar->setValue(bar->maximum());
}

/// The colours of the text are those of the scheme in which it was written.
void AnswerView::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shown.answer.newTokens() > 0) {
        m_text->clear();
        setStatus(TrialStatus(m_shown));
    }
}

} // namespace trainyard
