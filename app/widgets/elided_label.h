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

/// A summary of a picture in one line, replaced by the read-out of the item under the pointer.
class ReadOutLabel : public ElidedLabel {
public:
    using ElidedLabel::ElidedLabel;

    void setSummary(const QString& text)
    {
        m_summary = text;
        tell();
    }
    /// Empty = no item.
    void setReadOut(const QString& text)
    {
        m_readOut = text;
        tell();
    }

private:
    void tell() { setFullText(m_readOut.isEmpty() ? m_summary : m_readOut); }

    QString m_summary;
    QString m_readOut;
};

} // namespace trainyard
