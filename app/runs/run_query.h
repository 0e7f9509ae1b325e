#pragma once

#include <functional>
#include <vector>

#include <QString>

namespace trainyard {

struct RunEntry;

/// A search for runs, parsed once and then matched with each run:
///
///     bert lamb              both words, in name, id, hosts, state, tags or notes
///     "two words"            the phrase
///     name:bert tag:paper state:failed host:gpu-01 notes:warmup id:3f2a
///     loss<2.5 held-out<2.5 step>=1000 steps=7038 ranks>1 seq/s>800 attempt>1
///     after:2026-11-01 before:2026-12 on:2026-11-20     when the run began, local time
///     is:archived is:imported
///     -tag:broken            not
///
/// A run must match all parts; case does not matter. Archived runs are found only with is:archived.
class RunQuery {
public:
    RunQuery() = default;
    explicit RunQuery(const QString& text);

    bool matches(const RunEntry& entry) const;
    /// Returns why a part of the text is ignored, or not what it looks like; empty = the whole text is used.
    const QString& problem() const { return m_problem; }

    /// Returns the help: a line for each form, e.g. "tag:paper", and what it finds.
    static QString help();

private:
    using Condition = std::function<bool(const RunEntry&)>;

    void add(QString part);
    void addKeyword(bool wanted, const QString& key, const QString& value);
    void addDate(bool wanted, const QString& key, const QString& value);
    void noteUnknownKey(const QString& part);
    void require(bool wanted, Condition condition);

    std::vector<Condition> m_conditions;
    bool m_withArchived = false;
    QString m_problem;
};

} // namespace trainyard
