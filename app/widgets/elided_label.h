#pragma once

#include <QLabel>

namespace trainyard {

/// A line of text that is cut with an ellipsis where it does not fit, and then says all of it as a tool tip,
/// before what it may have of help.
/// Takes whatever width its layout has, unless its size policy says that it wants no more than its text; a
/// screen reader always hears the whole text.
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
