#pragma once

#include "app/widgets/elided_label.h"

namespace trainyard {

/// What a picture shows, in a line; while something in it is pointed at, that instead.
class ReadOutLabel : public ElidedLabel {
public:
    using ElidedLabel::ElidedLabel;

    void setSummary(const QString& text)
    {
        m_summary = text;
        tell();
    }
    /// Empty = nothing is pointed at.
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
