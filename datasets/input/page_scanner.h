#pragma once

#include <string>

#include "datasets/input/document_scanner.h"

namespace trainyard {

/// Finds the pages of a MediaWiki export behind its header. Comments, CDATA sections and processing
/// instructions may hold anything; elsewhere "<page" opens a page, because exports escape the text.
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

    std::size_t m_at = 0;        ///< looked at so far
    std::size_t m_pageBegin = 0; ///< of the page that is open
    bool m_inPage = false;
    bool m_closed = false;  ///< </mediawiki> was there
    std::string m_lastPage; ///< front of the last whole page
};

/// "after page 12 \"Anarchism\"", from the front of the page's XML.
std::string afterPage(std::string_view page);

} // namespace trainyard
