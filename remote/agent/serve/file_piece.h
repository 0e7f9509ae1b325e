#pragma once

#include <cstdint>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"

namespace trainyard::agent {

/// The part of a file that a request asks for.
struct Piece {
    std::int64_t offset = 0; ///< negative = from the end
    std::int64_t limit = 0;
};

/// The fields "offset" (0) and "limit" (64 KiB, at most kMaxRead).
Result<Piece> pieceAsked(const Fields& fields);

/// The answer of the operations that give a piece of a file: its bytes as a chunk, then size, offset, bytes.
/// BadInput, with the name, when it is no plain file.
Result<Answer> answerWith(const FileDescriptor& file, const std::string& name, Piece piece);
/// Of a text as if it were a file.
Result<Answer> answerWith(const std::string& text, Piece piece);

} // namespace trainyard::agent
