#pragma once

#include <QLabel>

namespace trainyard {

/// A line of text, elided if it does not fit; the tool tip then shows all of it, before any help. Takes the
/// width of its layout, unless its size policy limits it to its text; screen readers always get the whole
/// text.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    /// `role` as for makeLabel(); may be null.
    explicit ElidedLabel(const char* role, Qt::TextElideMode mode = Qt::ElideRight,
                         QWidget* parent = nullptr);

    void setFullText(const QString& text);
    void setHelp(const QString& help);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();

    QString m_full;
    QString m_help;
    Qt::TextElideMode m_mode;
};

} // namespace trainyard
