#include "app/designer/field_editor.h"

#include <limits>

#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>

#include "app/widgets/input_boxes.h"

namespace trainyard {

bool filterDocumentKeys(SpecDocument& document, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        document.closeEdit();
    } else if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = static_cast<const QKeyEvent&>(*event);
        if (key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo)) {
            event->ignore(); // otherwise the control would handle the key itself
            return true;
        }
    }
    return false;
}

FieldEditor::FieldEditor(SpecDocument& document, SpecField field, QObject* parent)
    : QObject(parent), m_document(document), m_field(std::move(field)), m_control(makeControl())
{
    m_control->setObjectName(m_field.path);
    m_control->installEventFilter(this);
    connect(&m_document, &SpecDocument::changed, this, &FieldEditor::refresh);
    refresh();
}

QWidget* FieldEditor::makeControl()
{
    switch (m_field.kind) {
    case SpecField::Kind::Integer:
        return makeInteger();
    case SpecField::Kind::Real:
        return makeReal();
    case SpecField::Kind::Choice:
        return makeChoice();
    case SpecField::Kind::Text:
        break;
    }
    return makeText();
}

QWidget* FieldEditor::makeInteger()
{
    // Accepts any number; validate() explains unreasonable ones.
    auto* box = new NumberBox(0, std::numeric_limits<int>::max(), m_field.unit);
    box->setSpecialValueText(m_field.zero);
    connect(box, &QSpinBox::valueChanged, this, [this](int value) { commit(value); });
    m_show = [box](const QVariant& value) { box->showValue(value.toInt()); };
    return box;
}

QWidget* FieldEditor::makeReal()
{
    auto* line = new QLineEdit;
    connect(line, &QLineEdit::textEdited, this, [this](const QString& text) {
        bool ok = false;
        const double value = QLocale::c().toDouble(text.trimmed(), &ok);
        setProblem(ok ? QString() : tr("\"%1\" is not a number — write it as 0.001 or 1e-3").arg(text));
        if (ok)
            commit(value);
    });
    m_show = [line](const QVariant& value) {
        bool ok = false;
        const double shown = QLocale::c().toDouble(line->text(), &ok);
        if (!ok || shown != value.toDouble())
            line->setText(QLocale::c().toString(value.toDouble(), 'g', QLocale::FloatingPointShortest));
    };
    return line;
}

QWidget* FieldEditor::makeText()
{
    auto* line = new QLineEdit;
    connect(line, &QLineEdit::textEdited, this, [this](const QString& text) {
        setProblem(m_field.complaint ? m_field.complaint(text) : QString());
        if (m_problem.isEmpty())
            commit(text);
    });
    m_show = [line](const QVariant& value) {
        if (line->text() == value.toString())
            return;
        line->setText(value.toString());
        if (!line->hasFocus())
            line->setCursorPosition(0); // shows the beginning
    };
    return line;
}

QWidget* FieldEditor::makeChoice()
{
    auto* box = new ChoiceBox;
    box->addItems(m_field.choices);
    connect(box, &QComboBox::currentTextChanged, this, [this](const QString& text) { commit(text); });
    m_show = [box](const QVariant& value) { box->setCurrentText(value.toString()); };
    return box;
}

void FieldEditor::commit(const QVariant& value)
{
    m_document.edit(m_field.label, m_field.path, [&](RunSpec& spec) { m_field.set(spec, value); });
}

void FieldEditor::setProblem(const QString& problem)
{
    if (m_problem == problem)
        return;
    m_problem = problem;
    emit problemChanged();
}

void FieldEditor::refresh()
{
    const QSignalBlocker blocker(m_control);
    m_show(m_field.get(m_document.spec()));
    setProblem({});
}

bool FieldEditor::eventFilter(QObject* watched, QEvent* event)
{
    return filterDocumentKeys(m_document, event) || QObject::eventFilter(watched, event);
}

} // namespace trainyard
