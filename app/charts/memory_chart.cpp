#include "app/charts/memory_chart.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_legend.h"
#include "app/series/axis.h"
#include "app/widgets/item_walk.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr double kWidestColumn = 56;

QString describeDevice(const DeviceMemory& device)
{
    const QString where = device.host.isEmpty() ? QString() : QStringLiteral(" on ") + oneLine(device.host);
    QStringList parts{device.name + where, displayBytes(double(device.peak))};
    if (device.capacity > 0)
        parts.last() += QStringLiteral(" of ") + displayBytes(double(device.capacity));
    if (device.planned)
        parts.append(QStringLiteral("planned ") + displayBytes(double(totalOf(*device.planned))));
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        if (device.categories[i] > 0)
            parts.append(toQString(nameOf(MemoryCategory(i))) + QLatin1Char(' ') +
                         displayBytes(double(device.categories[i])));
    }
    return parts.join(QStringLiteral("  ·  "));
}

} // namespace

/// Where everything is at the present size.
struct MemoryColumns::Frame {
    QRectF area;  ///< of the columns
    double top;   ///< bytes at the upper edge
    double pitch; ///< from column to column
    double width; ///< of a column

    double y(double bytes) const { return area.bottom() - bytes / top * area.height(); }
    QRectF column(int device, double from, double to) const
    {
        const double centre = area.left() + (device + 0.5) * pitch;
        return {centre - width / 2, y(to), width, y(from) - y(to)};
    }
};

MemoryColumns::MemoryColumns(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Memory per device"));
}

void MemoryColumns::setDevices(const QList<DeviceMemory>& devices)
{
    m_devices = devices;
    setCurrent(std::min(m_current, int(devices.size()) - 1));
    update();
}

MemoryColumns::Frame MemoryColumns::frame() const
{
    Frame frame;
    frame.area = QRectF(rect()).adjusted(62, 6, -4, -18);
    frame.top = double(memoryScale(m_devices)) * 1.06;
    frame.pitch = frame.area.width() / double(std::max<qsizetype>(1, m_devices.size()));
    frame.width = std::max(1.0, std::min(kWidestColumn, frame.pitch * (frame.pitch > 8 ? 0.7 : 0.9)));
    return frame;
}

void MemoryColumns::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QFont small = font();
    small.setPixelSize(metrics::kTickPixels);
    painter.setFont(small);
    if (m_devices.isEmpty()) {
        painter.setPen(coloursOf(palette()).muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("no data yet"));
        return;
    }
    const Frame place = frame();
    paintScale(painter, place);
    for (int device = 0; device < m_devices.size(); ++device)
        paintColumn(painter, place, device);
    paintFocusRing(painter, *this, place.area);
}

void MemoryColumns::paintScale(QPainter& painter, const Frame& frame) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int wanted = std::max(2, int(frame.area.height() / 40));
    for (const double tick : axisTicks(0, frame.top, {Quantity::Bytes, false, wanted})) {
        const double y = std::round(frame.y(tick)) + 0.5;
        painter.setPen(colours.grid);
        painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y));
        painter.setPen(colours.muted);
        painter.drawText(QRectF(0, y - 8, frame.area.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         tickText(tick, Quantity::Bytes));
    }
    const int every = std::max(1, int(std::ceil(28 / frame.pitch)));
    for (int device = 0; device < m_devices.size(); device += every) {
        const QRectF label(frame.area.left() + device * frame.pitch, frame.area.bottom() + 2,
                           frame.pitch * every, 16);
        const auto centred = every == 1 ? Qt::AlignHCenter : Qt::AlignLeft;
        painter.drawText(label, centred | Qt::AlignVCenter, QString::number(device));
    }
}

void MemoryColumns::paintColumn(QPainter& painter, const Frame& frame, int device) const
{
    const ThemeColours& colours = coloursOf(palette());
    const DeviceMemory& memory = m_devices[device];
    if (memory.capacity > memory.peak && double(memory.capacity) <= frame.top) {
        const QRectF free = frame.column(device, double(memory.peak), double(memory.capacity));
        painter.fillRect(free, QBrush(freeMemoryColour(colours.scheme), Qt::BDiagPattern));
        painter.setPen(colours.muted);
        painter.drawLine(free.topLeft(), free.topRight());
    }
    double from = 0;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const double to = from + double(memory.categories[i]);
        QColor colour = colourOf(MemoryCategory(i), colours.scheme);
        if (m_current >= 0 && m_current != device)
            colour.setAlphaF(0.45);
        painter.fillRect(frame.column(device, from, to), colour);
        from = to;
    }
    if (!memory.planned)
        return;
    const QRectF planned = frame.column(device, 0, double(totalOf(*memory.planned)));
    painter.setPen(QPen(colours.text, 1.5));
    painter.drawLine(planned.topLeft(), planned.topRight());
}

void MemoryColumns::setCurrent(int device)
{
    if (device == m_current)
        return;
    m_current = device;
    setAccessibleDescription(device < 0 ? QString() : describeDevice(m_devices[device]));
    update();
    emit currentChanged(device);
}

void MemoryColumns::mouseMoveEvent(QMouseEvent* event)
{
    const Frame place = frame();
    const double at = (event->position().x() - place.area.left()) / place.pitch;
    setCurrent(at >= 0 && at < double(m_devices.size()) ? int(at) : -1);
}

void MemoryColumns::leaveEvent(QEvent*)
{
    setCurrent(-1);
}

void MemoryColumns::keyPressEvent(QKeyEvent* event)
{
    const auto current = m_current < 0 ? std::nullopt : std::optional(m_current);
    if (const auto walk = walkOf(*event, current, int(m_devices.size())))
        setCurrent(walk->to.value_or(-1));
    else
        QWidget::keyPressEvent(event);
}

MemoryChart::MemoryChart(QWidget* parent)
    : QFrame(parent)
    , m_columns(new MemoryColumns(this))
    , m_readOut(new QLabel(this))
    , m_legend(new ChartLegend(this))
{
    setProperty("role", "panel");
    auto* title = new QLabel(tr("Peak memory per rank"), this);
    title->setProperty("role", "heading");
    m_readOut->setProperty("role", "small");
    m_readOut->setTextFormat(Qt::PlainText);
    m_readOut->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_readOut->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addWidget(m_readOut, 1);
    auto* column = columnLayout(this, metrics::kHalf,
                                {metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap});
    column->addLayout(head);
    column->addWidget(m_columns, 1);
    column->addWidget(m_legend);
    connect(m_columns, &MemoryColumns::currentChanged, this, &MemoryChart::describe);
}

void MemoryChart::setDevices(const QList<DeviceMemory>& devices)
{
    m_columns->setDevices(devices);
    QList<LegendEntry> legend = memoryLegend();
    if (std::ranges::any_of(devices, [](const DeviceMemory& device) { return device.planned.has_value(); }))
        legend << LegendEntry{tr("planned"), coloursOf(ColourScheme::Light).text,
                              coloursOf(ColourScheme::Dark).text, Qt::SolidLine};
    m_legend->setEntries(legend);
    describe(-1);
}

void MemoryChart::describe(int device)
{
    const QList<DeviceMemory>& devices = m_columns->devices();
    if (device < 0) {
        const auto fullest = std::max_element(devices.begin(), devices.end(),
                                              [](const auto& a, const auto& b) { return a.peak < b.peak; });
        return showText(fullest == devices.end()
                            ? QString()
                            : tr("max: %1, %2").arg(fullest->name, displayBytes(double(fullest->peak))));
    }
    showText(describeDevice(devices[device]));
    m_columns->setToolTip(m_readOut->toolTip());
}

void MemoryChart::showText(const QString& text)
{
    m_readOut->setText(m_readOut->fontMetrics().elidedText(text, Qt::ElideRight, m_readOut->width()));
    m_readOut->setToolTip(toolTipOf(text));
}

} // namespace trainyard
