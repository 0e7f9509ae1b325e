#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "datasets/options/corpus_format.h"
#include "engine/base/result.h"

namespace trainyard {

/// Finds the ends of documents in a text that arrives in pieces, without parsing them. One scanner per file,
/// one thread at a time.
class DocumentScanner {
public:
    virtual ~DocumentScanner() = default;

    /// Returns the end of the document at the front of `bytes`, leading blanks included; the next call starts
    /// there. nullopt: more bytes must be appended to these; or, if these are the `last` ones, no document
    /// follows. BadInput if the file ends inside a document; the message does not name the file.
    virtual Result<std::optional<std::size_t>> findEnd(std::string_view bytes, bool last) = 0;

    /// Returns the number of bytes at the front that findEnd() will not need again; the caller may remove
    /// them.
    virtual std::size_t release() = 0;

    /// Position for error messages: "after page 12 \"Anarchism\"", or "".
    virtual std::string position() const { return {}; }
};

/// Supports every format but Auto and MediaWiki, which uses PageScanner.
std::unique_ptr<DocumentScanner> makeTextScanner(CorpusFormat format);

} // namespace trainyard
