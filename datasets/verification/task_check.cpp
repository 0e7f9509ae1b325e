#include "datasets/verification/task_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "datasets/pretraining/row_statistics.h"
#include "datasets/shards/shard_reader.h"
#include "datasets/verification/task_sample.h"
#include "engine/base/hash.h"

namespace trainyard {

namespace {

constexpr std::size_t kLabelledRowsPerRead = 1024;

using Problem = std::optional<Violation>;

Violation violated(Invariant invariant, std::string problem)
{
    return {invariant, {}, std::nullopt, std::move(problem)};
}

/// The parts of one row.
struct LabelledRow {
    const RowBlock& rows;
    std::size_t index;
    std::size_t tokens; ///< without padding

    LabelledRow(const RowBlock& block, std::size_t row) : rows(block), index(row)
    {
        const auto mask = block.inputMask.begin() + static_cast<std::ptrdiff_t>(row * length());
        tokens =
            static_cast<std::size_t>(std::find(mask, mask + static_cast<std::ptrdiff_t>(length()), 0) - mask);
    }

    std::size_t length() const { return static_cast<std::size_t>(rows.sequenceLength); }
    template <typename Value>
    Value at(const std::vector<Value>& column, std::size_t place) const
    {
        return column[index * length() + place];
    }
    std::int32_t id(std::size_t place) const { return at(rows.inputIds, place); }
    std::int32_t label(std::size_t place) const { return at(rows.labels, place); }
};

class LabelledRowChecker {
public:
    LabelledRowChecker(const RowTokenizer& tokenizer, std::size_t labels)
        : m_vocabulary(tokenizer.vocabulary)
        , m_frame(tokenizer.frame.value_or(RowFrame()))
        , m_labels(static_cast<std::int32_t>(labels))
    {
    }

    Problem check(const LabelledRow& row) const
    {
        for (const auto part : {&LabelledRowChecker::checkPadding, &LabelledRowChecker::checkSpecialTokens,
                                &LabelledRowChecker::checkSegments, &LabelledRowChecker::checkLabels}) {
            if (Problem problem = (this->*part)(row))
                return problem;
        }
        return std::nullopt;
    }

private:
    bool isEncoders(const LabelledRow& row) const { return row.rows.task != TaskKind::Complete; }

    Problem checkPadding(const LabelledRow& row) const
    {
        if (row.tokens < 2)
            return violated(Invariant::Padding, fmt::format("input_mask covers {} tokens", row.tokens));
        for (std::size_t i = 0; i < row.length(); ++i) {
            const bool inside = i < row.tokens;
            const std::int32_t id = row.id(i);
            if (id < 0 || id >= static_cast<std::int32_t>(m_vocabulary.size()))
                return violated(Invariant::Padding, fmt::format("token {} is not in the vocabulary", id));
            if (row.at(row.rows.inputMask, i) != inside || (!inside && id != 0))
                return violated(Invariant::Padding,
                                fmt::format("position {} is not padding as those before", i));
        }
        return std::nullopt;
    }

    using Ids = std::vector<std::int32_t>;

    static bool isAt(const LabelledRow& row, std::size_t place, const Ids& ids)
    {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (place + i >= row.tokens || row.id(place + i) != ids[i])
                return false;
        }
        return true;
    }

    /// The texts of a row, without the special tokens around them.
    struct Sides {
        std::size_t firstEnd = 0;
        std::size_t secondBegin = 0;
        std::size_t secondEnd = 0;
        bool isPair = false;
    };

    Sides sidesOf(const LabelledRow& row) const
    {
        const Ids& between = m_frame.between;
        const std::size_t last = row.tokens - std::min(m_frame.pairBehind.size(), row.tokens);
        for (std::size_t at = m_frame.pairBefore.size(); !between.empty() && at + between.size() <= last;
             ++at) {
            if (isAt(row, at, between))
                return {at, at + between.size(), last, true};
        }
        const std::size_t end = row.tokens - std::min(m_frame.behind.size(), row.tokens);
        return {end, end, end, false};
    }

    Problem checkSpecialTokens(const LabelledRow& row) const
    {
        if (isEncoders(row)) {
            const Sides sides = sidesOf(row);
            return sides.isPair ? checkAround(row, sides, m_frame.pairBefore, m_frame.pairBehind)
                                : checkAround(row, sides, m_frame.before, m_frame.behind);
        }
        const std::int32_t end = m_vocabulary.special().documentEnd;
        const Ids before = m_frame.behind.empty() ? m_frame.before : Ids();
        const Ids behind = end == SpecialTokens::kNone ? Ids() : Ids{end};
        const std::size_t textEnd = row.tokens - behind.size();
        return checkAround(row, {textEnd, textEnd, textEnd, false}, before, behind);
    }

    Problem checkAround(const LabelledRow& row, const Sides& sides, const Ids& before,
                        const Ids& behind) const
    {
        if (row.tokens < before.size() + behind.size() || !isAt(row, row.tokens - behind.size(), behind))
            return violated(Invariant::SpecialTokens,
                            fmt::format("the row does not end in {}", named(behind)));
        if (!isAt(row, 0, before))
            return violated(Invariant::SpecialTokens,
                            fmt::format("the row does not begin with {}", named(before)));
        const Problem problem = checkText(row, before.size(), sides.firstEnd);
        return problem ? problem : checkText(row, sides.secondBegin, sides.secondEnd);
    }

    std::string named(const Ids& ids) const
    {
        std::string names;
        for (const std::int32_t id : ids)
            names += (names.empty() ? "" : " ") + m_vocabulary.piece(id);
        return names;
    }

    Problem checkText(const LabelledRow& row, std::size_t begin, std::size_t end) const
    {
        const SpecialTokens& special = m_vocabulary.special();
        for (std::size_t i = begin; i < end; ++i) {
            if (row.id(i) == special.classify || row.id(i) == special.mask || row.id(i) == special.pad)
                return violated(Invariant::SpecialTokens,
                                fmt::format("position {} has {}", i, m_vocabulary.piece(row.id(i))));
        }
        return std::nullopt;
    }

    /// 1 from B on, or from the tokens before it that are of its segment; 0 where pairs are one segment.
    Problem checkSegments(const LabelledRow& row) const
    {
        if (!isEncoders(row))
            return std::nullopt;
        const Sides sides = sidesOf(row);
        const bool hasTwo = sides.isPair && m_frame.betweenOfFirst;
        const std::size_t second = hasTwo ? sides.firstEnd + *m_frame.betweenOfFirst : row.tokens;
        for (std::size_t i = 0; i < row.tokens; ++i) {
            const std::int8_t segment = i >= second;
            if (row.at(row.rows.segmentIds, i) != segment)
                return violated(Invariant::Segments,
                                fmt::format("position {} is not in segment {}", i, segment));
        }
        return std::nullopt;
    }

    Problem checkLabels(const LabelledRow& row) const
    {
        switch (row.rows.task) {
        case TaskKind::Classify:
            return labelProblem(row.rows.labels[row.index]);
        case TaskKind::Regress:
            return std::isfinite(row.rows.values[row.index])
                       ? Problem()
                       : violated(Invariant::Predictions, "the value is not finite");
        case TaskKind::Answer:
            return answerProblem(row);
        default:
            return tokenLabelProblem(row);
        }
    }

    Problem labelProblem(std::int32_t label) const
    {
        if (label >= 0 && label < m_labels)
            return std::nullopt;
        return violated(Invariant::Predictions, fmt::format("label {} is not one of {}", label, m_labels));
    }

    Problem tokenLabelProblem(const LabelledRow& row) const
    {
        bool isLabelled = false;
        for (std::size_t i = 0; i < row.length(); ++i) {
            const std::int32_t label = row.label(i);
            if (label == RowBlock::kNoLabel)
                continue;
            isLabelled = true;
            if (i >= row.tokens || (isEncoders(row) && m_vocabulary.isSpecial(row.id(i)) &&
                                    row.id(i) != m_vocabulary.special().unknown))
                return violated(Invariant::Predictions,
                                fmt::format("position {} has a label and no word", i));
            if (!isEncoders(row) && label != row.id(i))
                return violated(Invariant::Predictions, fmt::format("label {} is not its token", i));
            if (const Problem problem = isEncoders(row) ? labelProblem(label) : Problem())
                return problem;
        }
        return isLabelled ? Problem() : violated(Invariant::Predictions, "no token has a label");
    }

    Problem answerProblem(const LabelledRow& row) const
    {
        const std::int32_t start = row.rows.startPositions[row.index];
        const std::int32_t end = row.rows.endPositions[row.index];
        if (start == 0 && end == 0)
            return std::nullopt;
        const bool inRow = start > 0 && start <= end && static_cast<std::size_t>(end) < row.tokens;
        if (inRow && row.at(row.rows.tokenBegins, static_cast<std::size_t>(start)) >= 0 &&
            row.at(row.rows.tokenEnds, static_cast<std::size_t>(end)) >= 0)
            return std::nullopt;
        return violated(Invariant::Predictions,
                        fmt::format("the answer from {} to {} is not in the context", start, end));
    }

    const Vocabulary& m_vocabulary;
    const RowFrame m_frame;
    const std::int32_t m_labels;
};

class TaskVerifier {
public:
    TaskVerifier(const VerifyOptions& options, const Manifest& manifest, const RowTokenizer& tokenizer,
                 VerificationReport report, Progress& progress, const CancelFlag& cancel)
        : m_options(options)
        , m_manifest(manifest)
        , m_vocabulary(tokenizer.vocabulary)
        , m_report(std::move(report))
        , m_progress(progress)
        , m_cancel(cancel)
        , m_checker(tokenizer, manifest.task.labels.size())
        , m_tokens(tokenizer.vocabulary.size())
    {
    }

    Result<VerificationReport> run()
    {
        m_progress.start(Stage::Verify, m_manifest.trainingRows() + m_manifest.testRows());
        for (ShardEntry& shard : m_report.shards) {
            checkShard(shard);
            if (m_cancel.isSet())
                return cancelled("stopped before all rows were checked");
        }
        m_progress.finish(Stage::Verify);
        if (m_report.trainingRows == 0)
            violate(Invariant::ShardSizes, {}, "there are no rows for training");
        if (m_report.ok() && m_report.statistics.rowTokens != m_manifest.statistics.rowTokens)
            violate(Invariant::Statistics, {},
                    fmt::format("the rows have {} tokens, the manifest says {}",
                                m_report.statistics.rowTokens, m_manifest.statistics.rowTokens));
        m_report.text = textFigures(m_tokens, m_vocabulary);
        m_report.statistics.documents = m_manifest.statistics.documents;
        m_report.statistics.testDocuments = m_manifest.statistics.testDocuments;
        m_report.statistics.tokens = m_manifest.statistics.tokens;
        return std::move(m_report);
    }

private:
    void violate(Invariant invariant, const std::string& file, std::string problem)
    {
        m_report.violations.push_back({invariant, file, std::nullopt, std::move(problem)});
    }

    void checkShard(ShardEntry& shard)
    {
        auto reader = ShardReader::openTask(m_options.folder / shard.file, m_manifest.sequenceLength,
                                            m_manifest.taskKind());
        if (!reader.ok())
            return violate(Invariant::Columns, shard.file, reader.error().message);
        const auto digest = sha256OfFile(m_options.folder / shard.file);
        if (!digest.ok() || *digest != shard.sha256)
            violate(Invariant::Hashes, shard.file,
                    "its SHA-256 differs from the manifest; the file was changed or damaged");
        if (reader->rows() != shard.rows)
            violate(Invariant::ShardSizes, shard.file,
                    fmt::format("{} rows, the manifest says {}", reader->rows(), shard.rows));
        shard.rows = reader->rows();
        (shard.training ? m_report.trainingRows : m_report.testRows) += shard.rows;
        checkRows(shard, *reader);
    }

    /// Until the first violation.
    void checkRows(const ShardEntry& shard, ShardReader& reader)
    {
        RowBlock rows;
        for (std::uint64_t first = 0; first < reader.rows() && !m_cancel.isSet();
             first += kLabelledRowsPerRead) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(kLabelledRowsPerRead, reader.rows() - first));
            if (const Status status = reader.read(first, count, rows); !status.ok())
                return violate(Invariant::Columns, shard.file, status.error().message);
            for (std::size_t i = 0; i < rows.rows; ++i) {
                const LabelledRow row(rows, i);
                if (Problem problem = m_checker.check(row)) {
                    problem->file = shard.file;
                    problem->row = first + i;
                    m_report.violations.push_back(std::move(*problem));
                    return;
                }
                addToReport(row, shard, first + i);
            }
            m_progress.advance(Stage::Verify, rows.rows);
        }
    }

    void addToReport(const LabelledRow& row, const ShardEntry& shard, std::uint64_t number)
    {
        const auto begin = row.rows.inputIds.begin() + static_cast<std::ptrdiff_t>(row.index * row.length());
        Instance instance;
        instance.tokens.assign(begin, begin + static_cast<std::ptrdiff_t>(row.tokens));
        instance.firstSegment = static_cast<std::uint32_t>(row.tokens);
        m_tokens.add(instance);
        addRow(m_report.statistics, instance, m_manifest.sequenceLength, m_vocabulary.special().mask);
        if (shard.training && m_report.samples.size() < static_cast<std::size_t>(m_options.samples))
            m_report.samples.push_back(
                decodeTaskRow(shard.file, number, row.rows, row.index, m_vocabulary, m_manifest.task.labels));
    }

    const VerifyOptions& m_options;
    const Manifest& m_manifest;
    const Vocabulary& m_vocabulary;
    VerificationReport m_report;
    Progress& m_progress;
    const CancelFlag& m_cancel;
    LabelledRowChecker m_checker;
    TokenCounts m_tokens;
};

} // namespace

Result<VerificationReport> verifyTask(const VerifyOptions& options, const Manifest& manifest,
                                      const RowTokenizer& tokenizer, VerificationReport report,
                                      Progress& progress, const CancelFlag& cancel)
{
    return TaskVerifier(options, manifest, tokenizer, std::move(report), progress, cancel).run();
}

} // namespace trainyard
