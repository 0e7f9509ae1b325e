#pragma once

#include <QDoubleSpinBox>

#include "engine/base/units.h"

namespace trainyard {

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
