#pragma once

#include <QComboBox>

namespace trainyard {

/// A choice that takes the width that its form gives it, however long its entries are, and leaves the wheel
/// to the form.
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

} // namespace trainyard
