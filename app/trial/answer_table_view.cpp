#include "app/trial/answer_table_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QTextCursor>

#include "app/base/display_text.h"
#include "app/trial/share_delegate.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

// Pixels of columns.
constexpr int kMaskWidth = 64;
constexpr int kWordWidth = 128;
constexpr int kLabelWidth = 176;
constexpr int kFoundWidth = 280;
constexpr int kScoreWidth = 80;
constexpr int kMarkedShare = 1; ///< of the height; the table has as much

} // namespace

AnswerTableView::AnswerTableView(const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_filled(makeParagraph({}))
    , m_value(makeLabel({}, "figure"))
    , m_marked(new QPlainTextEdit)
    , m_table(new TableView(name))
{
    m_filled->setTextFormat(Qt::PlainText);
    for (QLabel* label : {m_filled, m_value})
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_value->setAccessibleName(tr("Value"));
    m_marked->setReadOnly(true);
    m_marked->setTabChangesFocus(true);
    m_marked->setAccessibleName(tr("Marked text"));
    m_table->setModel(&m_answers);
    auto* shares = new ShareDelegate(m_table);
    for (const int column : {1, 2}) // whichever is the last one
        m_table->setItemDelegateForColumn(column, shares);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* column = columnLayout(this);
    column->addWidget(m_filled);
    column->addWidget(m_value);
    column->addWidget(m_marked, kMarkedShare);
    column->addWidget(m_table, kMarkedShare);
    column->addStretch(0);
}

void AnswerTableView::setAnswer(const TrialText& text, const TrialAnswer& answer)
{
    m_filled->setText(answer.masks().isEmpty() ? QString() : filledText(text.text, answer.masks()));
    m_filled->setVisible(!m_filled->text().isEmpty());
    m_value->setText(answer.value() ? displayNumber(*answer.value()) : QString());
    m_value->setToolTip(answer.value() ? QString::number(*answer.value(), 'g', 17) : QString());
    m_value->setVisible(answer.value().has_value());
    const QString& marked = answer.answers().isEmpty() ? text.text : text.pair;
    showMarked(answer.words().isEmpty() && answer.answers().isEmpty() ? QString() : marked,
               marksIn(marked, answer));
    showTable(answer);
}

void AnswerTableView::showMarked(const QString& text, const QList<TextMark>& marks)
{
    m_marked->setVisible(!text.isEmpty());
    if (m_marked->toPlainText() != text)
        m_marked->setPlainText(text);
    m_marks = marks;
    markParts();
    if (marks.isEmpty())
        return;
    QTextCursor first(m_marked->document());
    first.setPosition(int(marks.first().begin));
    m_marked->setTextCursor(first);
    m_marked->ensureCursorVisible();
}

/// Selections besides the user's, who can still select and copy.
void AnswerTableView::markParts()
{
    const ThemeColours& colours = coloursOf(palette());
    QList<QTextEdit::ExtraSelection> selections;
    for (const TextMark& mark : m_marks) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(m_marked->document());
        selection.cursor.setPosition(int(mark.begin));
        selection.cursor.setPosition(int(mark.end), QTextCursor::KeepAnchor);
        selection.format.setBackground(colours.accentTint);
        selection.format.setForeground(colours.accentText);
        selection.format.setFontWeight(QFont::DemiBold);
        selections.append(selection);
    }
    m_marked->setExtraSelections(selections);
}

void AnswerTableView::showTable(const TrialAnswer& answer)
{
    m_answers.setTable(tableOf(answer));
    m_table->setVisible(m_answers.rowCount() > 0);
    if (!answer.masks().isEmpty() || !answer.words().isEmpty()) {
        m_table->setColumnWidth(0, answer.masks().isEmpty() ? kWordWidth : kMaskWidth);
        m_table->setColumnWidth(1, kWordWidth);
    } else {
        m_table->setColumnWidth(0, answer.answers().isEmpty() ? kLabelWidth : kFoundWidth);
        if (!answer.answers().isEmpty())
            m_table->setColumnWidth(1, kScoreWidth);
    }
}

void AnswerTableView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        markParts();
}

} // namespace trainyard
