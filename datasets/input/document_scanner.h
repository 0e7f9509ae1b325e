#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "datasets/input/corpus_format.h"
#include "engine/base/result.h"

namespace trainyard {

/// Finds where documents end in a text that arrives bit by bit, without parsing them. One per file, one
/// thread at a time.
class DocumentScanner {
public:
    virtual ~DocumentScanner() = default;

    /// Where the document ends that begins at the front of `bytes`, blanks before it included; the next call
    /// begins there. Nothing: more bytes are needed, behind the same ones; or, when these are the `last`
    /// ones, no document follows. BadInput when the file ends in the middle; the message does not name it.
    virtual Result<std::optional<std::size_t>> findEnd(std::string_view bytes, bool last) = 0;

    /// Bytes at the front that findEnd() has passed and need not see again; the caller may take them away.
    virtual std::size_t release() = 0;

    /// How an unfinished piece of the file is called in messages: "after page 12 \"Anarchism\"", "".
    virtual std::string position() const { return {}; }
};

/// For every format but Auto and MediaWiki, which has PageScanner.
std::unique_ptr<DocumentScanner> makeTextScanner(CorpusFormat format);

} // namespace trainyard
