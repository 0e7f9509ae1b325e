#pragma once

#include <QSpinBox>

namespace trainyard {

/// An integer with its unit inside the field and grouped thousands. The wheel does not change it: it scrolls
/// the form.
class NumberBox : public QSpinBox {
    Q_OBJECT
public:
    /// `unit`: plural, "files".
    NumberBox(int low, int high, const QString& unit = {}, QWidget* parent = nullptr);

    /// Sets the value without disturbing equivalent text that is being typed.
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
