#pragma once

#include <QDoubleSpinBox>

#include "engine/base/units.h"

namespace trainyard {

/// An amount of memory in GiB (2^30 bytes), any part of one; 0 reads "none". The wheel does not change it: it
/// scrolls the form that the box is in.
class MemoryBox : public QDoubleSpinBox {
    Q_OBJECT
public:
    explicit MemoryBox(QWidget* parent = nullptr);

    /// Without touching what is being typed, if that says the same, and without bytesChanged().
    void showBytes(Bytes bytes);

signals:
    void bytesChanged(trainyard::Bytes bytes);

protected:
    QString textFromValue(double gibibytes) const override;
    void wheelEvent(QWheelEvent* event) override;
};

} // namespace trainyard
