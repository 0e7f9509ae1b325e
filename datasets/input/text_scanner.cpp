#include <utility>

#include "datasets/input/document_scanner.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

/// Goes through a text line by line; a kind of file says where its documents end.
class LineScanner : public DocumentScanner {
public:
    Result<std::optional<std::size_t>> findEnd(std::string_view bytes, bool last) final
    {
        for (;;) {
            const std::size_t lineEnd = bytes.find('\n', m_searched);
            const bool complete = lineEnd != std::string_view::npos;
            if (!complete && !last) {
                m_searched = bytes.size();
                return std::optional<std::size_t>();
            }
            const std::size_t next = complete ? lineEnd + 1 : bytes.size();
            const bool ends = next > m_lineBegin && endsDocument(line(bytes, next));
            m_lineBegin = m_searched = next;
            if (ends)
                return found();
            if (!complete)
                return atEnd(bytes);
        }
    }
    std::size_t release() final
    {
        m_frontIsGone = m_searched > m_lineBegin;
        m_lineBegin = 0;
        return std::exchange(m_searched, 0);
    }

protected:
    /// True if the document ends with this line.
    virtual bool endsDocument(std::string_view line) = 0;
    /// The file ends, and the last document did not.
    virtual Result<std::optional<std::size_t>> atEnd(std::string_view)
    {
        return std::optional<std::size_t>();
    }
    std::optional<std::size_t> found()
    {
        m_searched = 0;
        return std::exchange(m_lineBegin, 0);
    }

private:
    /// Returns a stand-in for a line that is too long to be kept.
    std::string_view line(std::string_view bytes, std::size_t next)
    {
        if (std::exchange(m_frontIsGone, false))
            return "long";
        return bytes.substr(m_lineBegin, next - m_lineBegin);
    }

    std::size_t m_lineBegin = 0;
    std::size_t m_searched = 0; ///< no line ends before
    bool m_frontIsGone = false; ///< of the line, by release()
};

/// A document a line.
class DocumentLineScanner final : public LineScanner {
    bool endsDocument(std::string_view line) override { return !isBlank(line); }
};

/// Lines, then an empty line.
class SentenceScanner final : public LineScanner {
    bool endsDocument(std::string_view line) override
    {
        if (isBlank(line))
            return std::exchange(m_inDocument, false);
        m_inDocument = true;
        return false;
    }
    Result<std::optional<std::size_t>> atEnd(std::string_view) override
    {
        return std::exchange(m_inDocument, false) ? found() : std::nullopt;
    }

    bool m_inDocument = false;
};

/// <doc ...> to </doc>.
class ExtractorScanner final : public LineScanner {
    bool endsDocument(std::string_view line) override
    {
        m_inDocument = m_inDocument || !isBlank(line);
        if (line.starts_with("</doc>"))
            return std::exchange(m_inDocument, false);
        return false;
    }
    Result<std::optional<std::size_t>> atEnd(std::string_view) override
    {
        if (m_inDocument)
            return badInput("the last document has no </doc>", "the file is truncated; generate it again");
        return std::optional<std::size_t>();
    }

    bool m_inDocument = false;
};

} // namespace

std::unique_ptr<DocumentScanner> makeTextScanner(CorpusFormat format)
{
    if (format == CorpusFormat::Sentences)
        return std::make_unique<SentenceScanner>();
    if (format == CorpusFormat::WikiExtractor)
        return std::make_unique<ExtractorScanner>();
    return std::make_unique<DocumentLineScanner>();
}

} // namespace trainyard
