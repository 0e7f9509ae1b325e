#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads the part of a MediaWiki export before its first page: the root element and, if present, siteinfo.
class DumpHeader {
public:
    DumpHeader();
    DumpHeader(DumpHeader&&) noexcept;
    DumpHeader& operator=(DumpHeader&&) noexcept;
    ~DumpHeader();

    /// Feeds the next bytes of the file. Returns the size of the header in bytes as soon as it is known.
    /// BadInput if the file is not an export; the message does not name it.
    Result<std::optional<std::uint64_t>> feed(std::string_view bytes, bool last);

    SiteInfo takeSite();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
