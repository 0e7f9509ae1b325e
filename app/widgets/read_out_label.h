#pragma once

#include "app/widgets/elided_label.h"

namespace trainyard {

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
