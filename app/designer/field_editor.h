#pragma once

#include <QObject>

#include "app/designer/model/spec_document.h"
#include "app/designer/spec_field.h"

class QWidget;

namespace trainyard {

/// Binds one field of the specification to its control: what the user types goes into the document at once as
/// an undoable edit, what changes in the document shows in the control.
class FieldEditor : public QObject {
    Q_OBJECT
public:
    FieldEditor(SpecDocument& document, SpecField field, QObject* parent);

    const SpecField& field() const { return m_field; }
    /// The control; the first caller owns it.
    QWidget* control() const { return m_control; }
    /// What is typed and is no value of this kind ("\"1e\" is not a number"); empty = fine.
    const QString& problem() const { return m_problem; }

signals:
    void problemChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeControl();
    QWidget* makeInteger();
    QWidget* makeReal();
    QWidget* makeText();
    QWidget* makeChoice();
    void commit(const QVariant& value);
    void setProblem(const QString& problem);
    /// Shows the document's value, unless the control says the same in other words ("1e-3").
    void refresh();

    SpecDocument& m_document;
    SpecField m_field;
    QString m_problem;
    std::function<void(const QVariant&)> m_show;
    QWidget* m_control = nullptr;
};

/// Lets Ctrl+Z and Ctrl+Y inside a control undo the document instead of the control's own text, and tells the
/// document when the control is left. Install on every editing control of a document.
bool filterDocumentKeys(SpecDocument& document, QEvent* event);

} // namespace trainyard
