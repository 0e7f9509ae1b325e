#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>

#include "engine/base/units.h"

namespace trainyard {

/// A combo box with the width of its form, however long its entries are; leaves the wheel to the form.
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

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
    QString withoutSuffix(const QString& text) const;
    QString digitsOf(const QString& text) const;

    QString m_unit;
};

/// A number with decimals. The wheel scrolls the surrounding form instead of changing the value.
class DecimalBox : public QDoubleSpinBox {
    Q_OBJECT
public:
    DecimalBox(double low, double high, double step, QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

/// An amount of memory in GiB (2^30 bytes), fractions allowed; 0 reads "none". The wheel scrolls the
/// surrounding form instead of changing the value.
class MemoryBox : public QDoubleSpinBox {
    Q_OBJECT
public:
    explicit MemoryBox(QWidget* parent = nullptr);

    /// Shows a value without emitting bytesChanged(), and keeps the text being typed if it means the same
    /// value.
    void showBytes(Bytes bytes);

signals:
    void bytesChanged(trainyard::Bytes bytes);

protected:
    QString textFromValue(double gibibytes) const override;
    void wheelEvent(QWheelEvent* event) override;
};

} // namespace trainyard
