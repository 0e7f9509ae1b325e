#pragma once

#include <string_view>
#include <vector>

#include <QString>

#include "app/base/text_table_model.h"
#include "engine/base/result.h"

namespace trainyard {

/// One token of a decoded training row.
struct SampleToken {
    QString text;     ///< what the model sees
    QString original; ///< what it shall predict; empty = not masked
    int segment = 0;  ///< 0 = A, 1 = B

    bool isMasked() const { return !original.isEmpty(); }
    /// A WordPiece that continues the word before it.
    bool isContinuation() const { return text.startsWith(QLatin1String("##")); }
};

/// One training row as words, as `trainyard-prepare verify DIR --sample N --json` prints it.
struct SampleRow {
    QString shard;
    std::uint64_t row = 0;
    bool randomNext = false; ///< B does not follow A
    std::vector<SampleToken> tokens;

    /// Rows of masks alone and of plain tokens have one segment.
    bool isPair() const { return !tokens.empty() && tokens.back().segment == 1; }
    bool hasMasks() const;
};

struct VerifyReport {
    bool sound = false;
    TextTable tokens; ///< of the text in the rows: what, value, meaning; empty when it was not counted
    std::vector<QString> problems;
    std::vector<SampleRow> samples;
};

/// Failed when the text is not what `verify --json` prints.
Result<VerifyReport> parseVerifyReport(std::string_view json);

} // namespace trainyard
