#pragma once

#include <string>

#include "datasets/input/document_scanner.h"

namespace trainyard {

/// Finds the pages of a MediaWiki export after its header. Comments, CDATA sections and processing
/// instructions may contain anything; elsewhere "<page" opens a page, because exports escape the text.
class PageScanner final : public DocumentScanner {
public:
    Result<std::optional<std::size_t>> findEnd(std::string_view bytes, bool last) override;
    std::size_t release() override;
    std::string position() const override;

private:
    enum class Step : std::uint8_t { Passed, PageEnd, NeedsMore };
    Result<Step> passMarkup(std::string_view bytes);
    Result<Step> passClosedDump(std::string_view bytes);
    Step passUntil(std::string_view bytes, std::string_view end);
    Step passPageTag(std::string_view bytes);

    std::size_t m_at = 0;        ///< bytes scanned so far
    std::size_t m_pageBegin = 0; ///< of the open page
    bool m_inPage = false;
    bool m_closed = false;  ///< </mediawiki> was found
    std::string m_lastPage; ///< start of the last complete page
};

/// Returns "after page 12 \"Anarchism\"" for the start of a page's XML.
std::string afterPage(std::string_view page);

} // namespace trainyard
