#include "app/widgets/symbol_icon.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include "app/base/theme.h"

namespace trainyard {

namespace {

QByteArray readSymbol(const QString& name)
{
    QFile file(QStringLiteral(":/trainyard/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void paintSymbol(QPainter& painter, const QRectF& rect, QByteArray svg, const QColor& colour)
{
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer(svg).render(&painter, rect);
}

class SymbolEngine : public QIconEngine {
public:
    explicit SymbolEngine(QByteArray svg) : m_svg(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        paintSymbol(*painter, rect, m_svg, colourFor(mode, state));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect({}, size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new SymbolEngine(m_svg); }

private:
    static QColor colourFor(QIcon::Mode mode, QIcon::State state)
    {
        const ThemeColours& colours = coloursOf(QGuiApplication::palette());
        if (mode == QIcon::Disabled)
            return colours.border;
        if (state == QIcon::On)
            return colours.accentText;
        return mode == QIcon::Normal ? colours.muted : colours.text;
    }

    QByteArray m_svg;
};

} // namespace

QIcon symbolIcon(const QString& name)
{
    return QIcon(new SymbolEngine(readSymbol(name)));
}

QPixmap symbolPixmap(const QString& name, const QColor& colour, int size, qreal devicePixelRatio)
{
    QPixmap pixmap(QSize(size, size) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintSymbol(painter, QRectF(0, 0, size, size), readSymbol(name), colour);
    return pixmap;
}

} // namespace trainyard
