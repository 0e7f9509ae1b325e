#pragma once

#include <array>
#include <optional>

#include <QString>
#include <QWidget>

namespace trainyard {

/// The placement order as three tiles, slowest-varying first. Tiles are dragged, or moved with Alt and the
/// arrow keys; without Alt the keys move the focus. Escape cancels a drag.
class PlacementLetters : public QWidget {
    Q_OBJECT
public:
    explicit PlacementLetters(QWidget* parent = nullptr);

    QString letters() const { return m_letters; }
    /// Accepts any order of D, P and T.
    void setLetters(const QString& letters);
    /// Tool tips, in letter order.
    void setHints(const std::array<QString, 3>& hints);
    QRect tile(int position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    /// Emitted on changes by the user.
    void reordered(const QString& letters);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Drag {
        int grip;        ///< pointer offset inside the tile, in pixels
        int x;           ///< left edge of the tile
        QString letters; ///< before the drag
    };
    int positionAt(int x) const;
    void dragTo(int x);
    void moveCurrent(int by);
    void setCurrent(int position);
    void paintTile(QPainter& painter, const QRect& tile, int position) const;

    QString m_letters = QStringLiteral("DPT");
    std::array<QString, 3> m_hints{};
    int m_current = 0; ///< tile moved by keys
    std::optional<Drag> m_drag;
};

} // namespace trainyard
