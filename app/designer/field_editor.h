#pragma once

#include <QObject>

#include "app/designer/model/spec_document.h"
#include "app/designer/spec_field.h"

class QWidget;

namespace trainyard {

/// Binds one field of the specification to its control: input goes into the document immediately as an
/// undoable edit, changes of the document are shown in the control.
class FieldEditor : public QObject {
    Q_OBJECT
public:
    FieldEditor(SpecDocument& document, SpecField field, QObject* parent);

    const SpecField& field() const { return m_field; }
    /// The control; the first caller owns it.
    QWidget* control() const { return m_control; }
    /// Describes input that is not a valid value ("\"1e\" is not a number"); empty = valid.
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
    /// Shows the document's value, unless the control shows an equal one in another notation ("1e-3").
    void refresh();

    SpecDocument& m_document;
    SpecField m_field;
    QString m_problem;
    std::function<void(const QVariant&)> m_show;
    QWidget* m_control = nullptr;
};

/// Makes Ctrl+Z and Ctrl+Y inside a control undo the document instead of the control's text, and ends the
/// document's edit when the control loses focus. Install on every editing control of a document.
bool filterDocumentKeys(SpecDocument& document, QEvent* event);

} // namespace trainyard
