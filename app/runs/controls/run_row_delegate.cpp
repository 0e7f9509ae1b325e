#include "app/runs/controls/run_row_delegate.h"

#include <QEvent>
#include <QListView>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/runs/run_list_model.h"

namespace trainyard {

namespace {

constexpr int kRowHeight = 50; ///< ten runs in a window 800 pixels high
constexpr int kLineGap = 2;
constexpr int kShapeWidth = 22;
constexpr int kCheckWidth = 28;

QString textAt(const QModelIndex& index, int column)
{
    return index.siblingAtColumn(column).data().toString();
}

/// The parts that say something, in one line.
QString joined(const QString& first, const QString& second)
{
    return first.isEmpty() || second.isEmpty() ? first + second : first + QStringLiteral(" · ") + second;
}

/// `form` with the metricText in it; nothing where there is no metricText.
QString metricText(const QModelIndex& index, int column, const QString& form)
{
    const QString text = textAt(index, column);
    return text == QStringLiteral("–") ? QString() : form.arg(text);
}

/// Empty for a run that ended as it should, of which its shape says enough.
QString stateWord(RunDisplayState state)
{
    const bool isPlain = state == RunDisplayState::Finished || state == RunDisplayState::Stopped;
    return isPlain ? QString() : wordOf(state);
}

/// What tells runs apart, the most telling first: a narrow list cuts the rest, which the tool tip has.
QString detailsOf(const QModelIndex& index)
{
    QString text = metricText(index, RunListModel::Loss, QStringLiteral("loss %1"));
    text = joined(text, metricText(index, RunListModel::HeldOut, QStringLiteral("held-out %1")));
    QString tags = textAt(index, RunListModel::Tags);
    text = joined(text, tags.isEmpty()
                            ? tags
                            : QLatin1Char('#') + tags.replace(QStringLiteral(", "), QStringLiteral(" #")));
    text = joined(text, metricText(index, RunListModel::Step, QStringLiteral("step %1")));
    text = joined(text, metricText(index, RunListModel::Throughput, QStringLiteral("%1 seq/s")));
    return joined(text, textAt(index, RunListModel::Hosts));
}

} // namespace

QSize RunRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {200, kRowHeight};
}

void RunRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    const ThemeColours& colours = coloursOf(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect box = option.rect.adjusted(4, 1, -4, -1);
    const bool hot = option.state & QStyle::State_MouseOver;
    if (option.state & QStyle::State_Selected || hot) {
        painter->setPen(option.state & QStyle::State_HasFocus ? QPen(colours.accent) : QPen(Qt::NoPen));
        painter->setBrush(option.state & QStyle::State_Selected ? colours.accentTint : colours.raised);
        painter->drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius,
                                 metrics::kRadius);
    }
    QRect inner = box.adjusted(8, 4, -8, -4);
    const QVariant checked = index.data(Qt::CheckStateRole);
    if (checked.isValid()) {
        paintCheckBox(*painter, option, inner, checked.toInt() == Qt::Checked);
        inner.setLeft(inner.left() + kCheckWidth);
    }
    paintTexts(*painter, option, inner, index);
    paintProgress(*painter, option, inner, index.data(RunListModel::EntryRole).value<RunEntry>());
    painter->restore();
}

bool RunRowDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                 const QModelIndex& index)
{
    return event->type() == QEvent::KeyPress && QStyledItemDelegate::editorEvent(event, model, option, index);
}

void RunRowDelegate::paintCheckBox(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                                   bool checked) const
{
    const ThemeColours& colours = coloursOf(option.palette);
    const QRectF frame(box.left() + 0.5, box.center().y() - 7.5, 16, 16);
    painter.setPen(checked ? colours.accentText : colours.muted);
    painter.setBrush(checked ? colours.accentText : colours.panel);
    painter.drawRoundedRect(frame, 4, 4);
    if (!checked)
        return;
    painter.setPen(QPen(colours.onAccent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const QPointF from = frame.topLeft();
    painter.drawPolyline(
        QPolygonF{from + QPointF(3.5, 8), from + QPointF(6.8, 11.2), from + QPointF(12.5, 5)});
}

void RunRowDelegate::paintTexts(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                                const QModelIndex& index) const
{
    const ThemeColours& colours = coloursOf(option.palette);
    const auto shown = RunDisplayState(index.data(RunListModel::DisplayStateRole).toInt());
    const QColor tone = textColour(toneOf(shown), colours);
    const int line = option.fontMetrics.height();
    const QRect shape(box.left(), box.top(), kShapeWidth, line);
    const QRect first(box.left() + kShapeWidth, box.top(), box.width() - kShapeWidth, line);
    const QRect second = first.translated(0, line + kLineGap);
    const auto write = [&](const QRect& place, Qt::Alignment align, const QColor& colour, const QString& text,
                           Qt::TextElideMode mode = Qt::ElideRight) {
        painter.setPen(colour);
        painter.drawText(place, align | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, mode, place.width()));
        return std::min(place.width(), painter.fontMetrics().horizontalAdvance(text) + metrics::kHalf);
    };

    painter.setFont(option.font);
    write(shape, Qt::AlignLeft, tone, shapeOf(shown));
    const QString id = shortRunId(index.data(RunListModel::EntryRole).value<RunEntry>().id);
    const int idWidth = write(first, Qt::AlignRight, colours.muted, id);
    const int ageWidth = write(second, Qt::AlignRight, colours.muted, textAt(index, RunListModel::Age));
    const QRect details = second.adjusted(0, 0, -ageWidth - metrics::kHalf, 0);
    const QString alert = index.data(RunListModel::AlertRole).toString();
    const QString state = alert.isEmpty() ? stateWord(shown) : QStringLiteral("▲ ") + alert;
    const QColor stateColour = alert.isEmpty() ? tone : colours.warningText;
    const int stateWidth = state.isEmpty() ? 0 : write(details, Qt::AlignLeft, stateColour, state);
    write(details.adjusted(stateWidth, 0, 0, 0), Qt::AlignLeft, colours.muted, detailsOf(index));
    QFont bold = option.font;
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    write(first.adjusted(0, 0, -idWidth, 0), Qt::AlignLeft, colours.text, textAt(index, RunListModel::Name),
          Qt::ElideMiddle);
}

void RunRowDelegate::paintProgress(QPainter& painter, const QStyleOptionViewItem& option, const QRect& box,
                                   const RunEntry& entry) const
{
    if (entry.steps <= 0 || entry.isOver())
        return;
    const ThemeColours& colours = coloursOf(option.palette);
    const QRectF track(box.left() + kShapeWidth, box.bottom() - 1, box.width() - kShapeWidth, 3);
    QRectF done = track;
    done.setWidth(track.width() * std::clamp(double(entry.step) / double(entry.steps), 0.0, 1.0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colours.border);
    painter.drawRoundedRect(track, 1.5, 1.5);
    painter.setBrush(colours.accent);
    painter.drawRoundedRect(done, 1.5, 1.5);
}

QListView* makeRunList(QAbstractItemModel& runs, const QString& accessibleName, QWidget* parent)
{
    auto* list = new QListView(parent);
    list->setModel(&runs);
    list->setItemDelegate(new RunRowDelegate(list));
    list->setAccessibleName(accessibleName);
    list->setUniformItemSizes(true);
    list->setMouseTracking(true);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setFrameShape(QFrame::NoFrame);
    return list;
}

} // namespace trainyard
