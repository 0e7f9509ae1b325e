#pragma once

#include <string_view>
#include <vector>

#include <QString>

#include "app/base/text_table_model.h"
#include "engine/base/result.h"

namespace trainyard {

/// One token of a decoded training row.
struct SampleToken {
    QString text;          ///< the model's input
    QString original;      ///< expected prediction; empty = not masked
    int segment = 0;       ///< 0 = A, 1 = B
    QString label{};       ///< of a tagged word, on its first token; else empty
    bool isTarget = false; ///< of the answer, or of the completion

    bool isMasked() const { return !original.isEmpty(); }
    /// Whether this WordPiece continues the previous word.
    bool isContinuation() const { return text.startsWith(QLatin1String("##")); }
};

/// One training row as words, as `trainyard-prepare verify DIR --sample N --json` prints it.
struct SampleRow {
    QString shard;
    std::uint64_t row = 0;
    bool randomNext = false; ///< B does not follow A
    std::vector<SampleToken> tokens;
    std::string task{}; ///< "classify" ... of labelled rows; else empty
    QString label{};    ///< of such a row: its class or number; else empty

    /// Rows of masked LM and plain tokens have one segment.
    bool isPair() const { return !tokens.empty() && tokens.back().segment == 1; }
    bool hasMasks() const;
    bool hasTargets() const;
    bool hasTags() const;
};

struct VerifyReport {
    bool sound = false;
    TextTable tokens; ///< of the rows' text: statistic, value, meaning; empty if not counted
    std::vector<QString> problems;
    std::vector<SampleRow> samples;
};

/// Failed if the text is not the output of `verify --json`.
Result<VerifyReport> parseVerifyReport(std::string_view json);

} // namespace trainyard
