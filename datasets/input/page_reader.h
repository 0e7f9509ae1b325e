#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// One page of a MediaWiki export, with the text of its last revision in the file.
struct Page {
    std::uint64_t id = 0;
    int space = 0; ///< namespace; 0 = articles
    std::string title;
    std::string model = "wikitext"; ///< dumps before 0.6 do not say
    std::string text;               ///< UTF-8 wiki markup
    bool redirect = false;
    bool deleted = false; ///< the text was suppressed
};

/// Streams the pages of one dump: export formats 0.8 to 0.11, plain or bzip2, UTF-8 or UTF-16, in memory
/// bounded by the longest page. One thread at a time.
class PageReader {
public:
    static Result<PageReader> open(const std::filesystem::path& dump);

    PageReader(PageReader&&) noexcept;
    PageReader& operator=(PageReader&&) noexcept;
    ~PageReader();

    /// The next page; nothing at the end of the dump. BadInput when the file is no MediaWiki export, damaged
    /// or truncated; the message names the last page that was read whole.
    Result<std::optional<Page>> next();

    /// Bytes of the file consumed so far, for progress.
    std::uint64_t fileOffset() const;

private:
    struct State;
    explicit PageReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
