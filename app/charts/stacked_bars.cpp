#include "app/charts/stacked_bars.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kBarHeight = 20;
constexpr int kPitch = kBarHeight + metrics::kGap;
constexpr int kNameWidth = 72;
constexpr int kTotalWidth = 96;

} // namespace

double StackedBar::total() const
{
    double sum = 0;
    for (const Part& part : parts)
        sum += part.value;
    return sum;
}

StackedBars::StackedBars(const QString& accessibleName, Quantity quantity, QWidget* parent)
    : QWidget(parent), m_quantity(quantity)
{
    setAccessibleName(accessibleName);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StackedBars::setBars(const QList<StackedBar>& bars)
{
    const bool sameCount = bars.size() == m_bars.size();
    m_bars = bars;
    if (!sameCount)
        updateGeometry();
    const QList<Drawn> all = drawn();
    if (std::ranges::find(all, m_current, &Drawn::place) == all.end())
        m_current = {};
    describe();
    update();
}

/// What is pointed at, else every bar with its sum.
void StackedBars::describe()
{
    QStringList bars;
    for (const StackedBar& bar : m_bars)
        bars << tr("%1 %2").arg(bar.name, figureText(bar.total(), m_quantity));
    setAccessibleDescription(m_current.bar >= 0 ? readOut(m_current) : bars.join(QStringLiteral(", ")));
}

/// One line more than there are bars: what is read out.
QSize StackedBars::sizeHint() const
{
    return {480, int(m_bars.size()) * kPitch + fontMetrics().height()};
}

QList<StackedBars::Drawn> StackedBars::drawn() const
{
    double most = 0;
    for (const StackedBar& bar : m_bars)
        most = std::max(most, bar.total());
    QList<Drawn> all;
    const double room = std::max(0, width() - kNameWidth - kTotalWidth);
    for (int bar = 0; bar < m_bars.size(); ++bar) {
        double x = kNameWidth;
        for (int part = 0; part < m_bars[bar].parts.size(); ++part) {
            const double value = m_bars[bar].parts[part].value;
            if (!(value > 0))
                continue;
            const double length = value / most * room;
            all.append({{bar, part}, QRectF(x, bar * kPitch, length, kBarHeight)});
            x += length;
        }
    }
    return all;
}

void StackedBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    const QList<Drawn> all = drawn();
    for (const Drawn& part : all)
        paintPart(painter, part);
    for (int bar = 0; bar < m_bars.size(); ++bar) {
        const int top = bar * kPitch;
        painter.setPen(colours.muted);
        painter.drawText(QRect(0, top, kNameWidth, kBarHeight), Qt::AlignVCenter, m_bars[bar].name);
        double end = kNameWidth;
        for (const Drawn& part : all)
            end = part.place.bar == bar ? std::max(end, part.area.right()) : end;
        painter.setPen(colours.text);
        painter.drawText(QRectF(end + metrics::kGap, top, kTotalWidth, kBarHeight), Qt::AlignVCenter,
                         figureText(m_bars[bar].total(), m_quantity));
    }
    painter.setPen(colours.muted);
    painter.drawText(
        QRect(kNameWidth, int(m_bars.size()) * kPitch, width() - kNameWidth, fontMetrics().height()),
        Qt::AlignLeft, readOut(m_current));
    paintFocusRing(painter, *this, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void StackedBars::paintPart(QPainter& painter, const Drawn& drawn) const
{
    const ThemeColours& colours = coloursOf(palette());
    const StackedBar& bar = m_bars[drawn.place.bar];
    const StackedBar::Part& part = bar.parts[drawn.place.part];
    const QColor colour = colours.scheme == ColourScheme::Dark ? part.dark : part.light;
    const bool isCurrent = drawn.place == m_current;
    if (!bar.isPlanned) {
        painter.fillRect(drawn.area, colour);
    } else if (drawn.area.width() <= 4) {
        painter.fillRect(drawn.area, QBrush(colour, Qt::Dense4Pattern)); // no room for two lines
    } else {
        paintPlanned(painter, drawn.area, colour);
    }
    if (isCurrent) {
        painter.setPen(QPen(colours.text, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(drawn.area.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

QString StackedBars::readOut(Place place) const
{
    if (place.bar < 0)
        return {};
    const StackedBar& bar = m_bars[place.bar];
    const StackedBar::Part& part = bar.parts[place.part];
    return tr("%1: %2 %3, %4")
        .arg(bar.name, part.name, figureText(part.value, m_quantity),
             displayPercent(part.value / bar.total()));
}

void StackedBars::setCurrent(Place place)
{
    if (place == m_current)
        return;
    m_current = place;
    describe();
    update();
}

void StackedBars::mouseMoveEvent(QMouseEvent* event)
{
    Place place;
    for (const Drawn& part : drawn()) {
        if (part.area.contains(event->position()))
            place = part.place;
    }
    setCurrent(place);
}

void StackedBars::leaveEvent(QEvent*)
{
    setCurrent({});
}

void StackedBars::keyPressEvent(QKeyEvent* event)
{
    const QList<Drawn> all = drawn();
    const auto found = std::ranges::find(all, m_current, &Drawn::place);
    const auto current = found == all.end() ? std::nullopt : std::optional<int>(found - all.begin());
    const auto walk = walkOf(*event, current, static_cast<int>(all.size()));
    if (!walk)
        return QWidget::keyPressEvent(event);
    setCurrent(walk->to ? all[*walk->to].place : Place());
}

} // namespace trainyard
