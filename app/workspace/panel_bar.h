#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace trainyard {

/// The handle of a panel: the title bar of its dock.
class PanelBar : public QWidget {
    Q_OBJECT
public:
    enum class Face {
        None,  ///< one of several tabs: the tab is what one drags
        Grip,  ///< a line to drag by; the panel shows its title itself
        Title, ///< the title, a button that floats the panel and one that closes it
    };
    explicit PanelBar(const QString& title, QWidget* parent = nullptr);

    void setFace(Face face);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void floatRequested();
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QToolButton* addButton(const QString& icon, const QString& name);

    Face m_face = Face::Title;
    QWidget* m_content;
};

} // namespace trainyard
