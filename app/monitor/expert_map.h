#pragma once

#include <optional>
#include <vector>

#include <QFrame>

#include "engine/records/record.h"

namespace trainyard {

class ReadOutLabel;

/// How many tokens each expert of a mixture gets: a row for each layer, a column for each expert, the stronger the
/// colour the more; what gets hardly anything is hatched. The pointer or the arrow keys read one out.
class ExpertMap : public QWidget {
    Q_OBJECT

public:
    explicit ExpertMap(QWidget* parent = nullptr);
    void setLoad(const ExpertLoad& load);
    const ExpertLoad& load() const { return m_load; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, 48}; }

signals:
    /// What is pointed at or walked to, in words; empty = nothing.
    void readOutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int layers() const { return static_cast<int>(m_load.layers.size()); }
    QRectF area() const;
    QRectF cellOf(int layer, int expert) const;
    void setCurrent(std::optional<int> cell);
    void tell();
    QString wordsOf(int cell) const;
    void paintAxes(QPainter& painter) const;

    ExpertLoad m_load;
    std::vector<std::vector<double>> m_shares; ///< [layer][expert], in multiples of an even share
    std::optional<int> m_current;              ///< layer times experts plus expert
};

/// The map with its title and what it says, as of the newest step that was counted.
class ExpertPanel : public QFrame {
    Q_OBJECT

public:
    explicit ExpertPanel(QWidget* parent = nullptr);
    void setLoad(const ExpertLoad& load);

private:
    ExpertMap* m_map;
    ReadOutLabel* m_readOut;
};

} // namespace trainyard
