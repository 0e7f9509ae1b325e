#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads what stands before the first page of a MediaWiki export: the root element and siteinfo, if it is
/// there.
class DumpHeader {
public:
    DumpHeader();
    DumpHeader(DumpHeader&&) noexcept;
    DumpHeader& operator=(DumpHeader&&) noexcept;
    ~DumpHeader();

    /// Takes the next bytes of the file. Gives how many bytes of the file are the header, as soon as that is
    /// known. BadInput when the file is no export; the message does not name it.
    Result<std::optional<std::uint64_t>> feed(std::string_view bytes, bool last);

    SiteInfo takeSite();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
