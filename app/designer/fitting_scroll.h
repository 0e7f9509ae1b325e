#pragma once

#include <QScrollArea>

namespace trainyard {

/// A scroll area as high as its content, up to a maximum.
class FittingScroll : public QScrollArea {
    Q_OBJECT
public:
    /// `most`: maximum height in pixels.
    FittingScroll(QWidget* content, int most, QWidget* parent = nullptr);

    QSize sizeHint() const override { return minimumSizeHint(); }
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_most;
};

} // namespace trainyard
