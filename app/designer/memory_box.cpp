#include "app/designer/memory_box.h"

#include <cmath>

#include <QSignalBlocker>
#include <QWheelEvent>

namespace trainyard {

namespace {

constexpr double kMaxGibibytes = 1 << 20;
constexpr int kDecimals = 6; ///< about a KiB

double gibibytes(Bytes bytes)
{
    return static_cast<double>(bytes) / static_cast<double>(kGiB);
}

} // namespace

MemoryBox::MemoryBox(QWidget* parent) : QDoubleSpinBox(parent)
{
    setLocale(QLocale::c());
    setDecimals(kDecimals);
    setRange(0, kMaxGibibytes);
    setSpecialValueText(tr("none")); // of 0
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        emit bytesChanged(static_cast<Bytes>(std::llround(value * static_cast<double>(kGiB))));
    });
}

void MemoryBox::showBytes(Bytes bytes)
{
    const QSignalBlocker blocker(this);
    if (std::abs(gibibytes(bytes) - value()) > std::pow(10, -kDecimals))
        setValue(gibibytes(bytes));
}

QString MemoryBox::textFromValue(double gibibytes) const
{
    return locale().toString(gibibytes, 'g', kDecimals);
}

void MemoryBox::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

} // namespace trainyard
