#pragma once

#include <QWidget>

#include "app/hosts/model/stage_progress.h"

namespace trainyard {

/// The stages of a long job as a row of boxes that fill: name, progress, rate.
class StageRow : public QWidget {
    Q_OBJECT
public:
    explicit StageRow(QWidget* parent = nullptr);

    void setProgress(const StageProgress& progress);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF boxOf(std::size_t stage) const;
    void paintStage(QPainter& painter, const Stage& stage, const QRectF& box) const;

    StageProgress m_progress;
};

} // namespace trainyard
