#pragma once

#include <QScrollArea>

namespace trainyard {

/// As high as what is in it, up to a bound; what is more is scrolled to.
class FittingScroll : public QScrollArea {
    Q_OBJECT
public:
    /// `most`: pixels.
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
