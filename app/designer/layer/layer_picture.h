#pragma once

#include <optional>

#include <QAbstractScrollArea>

#include "app/designer/layer/layer_layout.h"

namespace trainyard {

/// The drawing of a model with one of its layers in detail: boxes with their parameters, and arrows in the
/// order in which data pass them. The arrow keys and clicks select the current box; its tool tip, as that of
/// the box under the pointer, lists the tensors. Ctrl+C copies the current box, else the whole, as text.
class LayerPicture : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LayerPicture(QWidget* parent = nullptr);

    void setDrawing(const LayerDrawing& drawing);
    /// Shows why there is no drawing.
    void showNothing(const QString& why);
    const std::optional<LayerDrawing>& drawing() const { return m_drawing; }

    /// Index into LayerDrawing::boxes(); nullopt = none.
    std::optional<int> current() const { return m_current; }
    void setCurrent(std::optional<int> box);
    const LayerLayout& placed() const { return m_layout; }
    /// The current box, or all of the drawing, as text; empty without a drawing.
    QString text() const;
    /// All of the drawing, whatever of it is in view.
    void paintDrawing(QPainter& painter) const;

    QSize sizeHint() const override { return {480, 320}; }
    QSize minimumSizeHint() const override { return {int(LayerLayout::kMinWidth) + 8, 120}; }

signals:
    /// Describes the box under the pointer, else the current one; empty = none.
    void readOutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void arrange();
    void describe();
    void setPointed(std::optional<int> box);
    void tell();
    void bringIntoView(int box);
    LayerFonts fonts() const;
    QPoint scrolled() const;
    const DrawnBox& boxOf(int index) const { return *m_drawing->boxes()[static_cast<std::size_t>(index)]; }
    std::optional<int> boxAt(const QPointF& position) const;

    std::optional<LayerDrawing> m_drawing;
    QString m_emptyText;
    LayerLayout m_layout;
    std::optional<int> m_current;
    std::optional<int> m_pointed; ///< under the pointer
};

} // namespace trainyard
