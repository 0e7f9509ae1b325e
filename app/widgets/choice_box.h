#pragma once

#include <QComboBox>

namespace trainyard {

/// A combo box with the width of its form, however long its entries are; leaves the wheel to the form.
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

} // namespace trainyard
