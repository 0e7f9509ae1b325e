#pragma once

#include <optional>

#include <QObject>

namespace trainyard {

/// Part of the horizontal axis.
struct ChartSpan {
    double from = 0;
    double to = 1;

    bool operator==(const ChartSpan&) const = default;
};

/// Shares one cursor and one zoom among charts.
class ChartLink : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    std::optional<double> cursor() const { return m_cursor; }
    std::optional<ChartSpan> zoom() const { return m_zoom; }

    void setCursor(std::optional<double> x);
    /// Nullopt = everything is shown, including future data.
    void setZoom(std::optional<ChartSpan> span);

signals:
    void cursorChanged();
    void zoomChanged();

private:
    std::optional<double> m_cursor;
    std::optional<ChartSpan> m_zoom;
};

} // namespace trainyard
