#pragma once

#include <QColor>
#include <QList>
#include <QWidget>

#include "app/series/axis.h"

namespace trainyard {

/// One bar of several parts. Measured bars are filled, planned ones outlined in the same colours.
struct StackedBar {
    struct Part {
        QString name;
        QColor light, dark;
        double value = 0;
    };
    QString name;
    QList<Part> parts;
    bool isPlanned = false;

    double total() const;
};

/// A few bars below each other on one scale, each with its name and total. Hovering or the arrow keys read
/// out a part.
class StackedBars : public QWidget {
    Q_OBJECT

public:
    explicit StackedBars(const QString& accessibleName, Quantity quantity, QWidget* parent = nullptr);

    void setBars(const QList<StackedBar>& bars);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {240, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Place {
        int bar = -1;
        int part = -1;

        bool operator==(const Place&) const = default;
    };
    /// A part that takes room, and where.
    struct Drawn {
        Place place;
        QRectF area;
    };

    QList<Drawn> drawn() const;
    void paintPart(QPainter& painter, const Drawn& drawn) const;
    QString readOut(Place place) const;
    void setCurrent(Place place);
    void describe();

    const Quantity m_quantity;
    QList<StackedBar> m_bars;
    Place m_current;
};

} // namespace trainyard
