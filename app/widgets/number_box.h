#pragma once

#include <QSpinBox>

namespace trainyard {

/// A whole number with its unit inside the field and thousands set apart by a thin gap, as everywhere on
/// screen. The wheel does not change it: it scrolls the form that the box is in.
class NumberBox : public QSpinBox {
    Q_OBJECT
public:
    /// `unit`: in its plural, "files".
    NumberBox(int low, int high, const QString& unit = {}, QWidget* parent = nullptr);

    /// Shows a value without touching what is being typed, if that says the same.
    void showValue(int value);

protected:
    QString textFromValue(int value) const override;
    int valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void showUnit();
    QString digitsOf(QString text) const;

    QString m_unit;
};

} // namespace trainyard
