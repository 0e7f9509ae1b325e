#include "app/hosts/model/stage_progress.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

struct Scale {
    double factor;
    QString name; ///< with its gap: " M documents", " GiB"
};

/// The prefix that makes `value` a number of at most four digits.
Scale scaleFor(double value, const QString& unit)
{
    if (unit == QLatin1String("B")) {
        for (const auto& [factor, name] : {std::pair{kGiB, " GiB"}, {kMiB, " MiB"}, {kKiB, " KiB"}}) {
            if (value >= static_cast<double>(factor))
                return {static_cast<double>(factor), QLatin1String(name)};
        }
        return {1, QStringLiteral(" B")};
    }
    for (const auto& [factor, name] : {std::pair{1e9, " G "}, {1e6, " M "}, {1e4, " k "}}) {
        if (value >= factor)
            return {name[1] == 'k' ? 1e3 : factor, QLatin1String(name) + unit};
    }
    return {1, QLatin1Char(' ') + unit};
}

QString number(double value)
{
    const int decimals = value == std::floor(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return QString::number(value, 'f', decimals);
}

/// An object of whole numbers; anything else counts nothing.
std::map<std::string, std::uint64_t> countersOf(const std::string& text)
{
    std::map<std::string, std::uint64_t> counters;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object()) {
        for (const auto& [name, value] : json.items()) {
            if (value.is_number_unsigned())
                counters[name] = value.get<std::uint64_t>();
        }
    }
    return counters;
}

void addCounters(std::map<std::string, std::uint64_t>& sum, const std::map<std::string, std::uint64_t>& more)
{
    for (const auto& [name, count] : more)
        sum[name] += count;
}

QString quantity(double value, const QString& unit)
{
    const Scale scale = scaleFor(value, unit);
    return number(value / scale.factor) + scale.name;
}

} // namespace

double Stage::fraction() const
{
    if (finished)
        return 1;
    return total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

QString Stage::doneText() const
{
    if (!started)
        return {};
    if (total == 0 || finished)
        return quantity(static_cast<double>(done), unit);
    const Scale scale = scaleFor(static_cast<double>(total), unit);
    return QStringLiteral("%1 / %2%3")
        .arg(number(static_cast<double>(done) / scale.factor),
             number(static_cast<double>(total) / scale.factor), scale.name);
}

QString Stage::rateText() const
{
    return rate > 0 && !finished ? quantity(rate, unit) + QStringLiteral("/s") : QString();
}

StageProgress::StageProgress()
{
    for (const char* name : {"read", "clean", "sentences", "tokens", "instances", "shards"})
        m_stages.push_back({.name = QLatin1String(name), .unit = {}});
}

void StageProgress::apply(const ProgressRecord& record)
{
    if (record.stage == "memory") {
        m_memory = record.done;
    } else if (record.stage == "disk") {
        m_diskFree = record.done;
    } else {
        Stage& at = stage(QString::fromStdString(record.stage));
        at.done = record.done;
        at.total = record.total;
        at.unit = QString::fromStdString(record.unit);
        at.rate = record.rate;
        at.secondsLeft = record.secondsLeft;
        at.started = true;
        at.finished = record.total > 0 && record.done >= record.total;
        at.counters = countersOf(record.counters);
    }
}

void StageProgress::finish()
{
    for (Stage& at : m_stages)
        at.finished = at.finished || at.started;
}

double StageProgress::secondsLeft() const
{
    double left = -1;
    for (const Stage& at : m_stages) {
        if (at.started && !at.finished)
            left = std::max(left, at.secondsLeft);
    }
    return left;
}

std::map<std::string, std::uint64_t> StageProgress::counters() const
{
    std::map<std::string, std::uint64_t> sum;
    for (const Stage& at : m_stages)
        addCounters(sum, at.counters);
    return sum;
}

StageProgress StageProgress::together(const std::vector<StageProgress>& parts)
{
    StageProgress sum;
    for (const StageProgress& part : parts) {
        for (const Stage& at : part.m_stages)
            sum.add(at);
        if (part.m_memory)
            sum.m_memory = std::max(*part.m_memory, sum.m_memory.value_or(0));
        if (part.m_diskFree)
            sum.m_diskFree = std::min(*part.m_diskFree, sum.m_diskFree.value_or(*part.m_diskFree));
    }
    for (Stage& at : sum.m_stages) {
        at.finished = at.started;
        for (const StageProgress& part : parts)
            at.finished = at.finished && part.hasFinished(at.name);
    }
    return sum;
}

StageProgress StageProgress::followedBy(const StageProgress& later) const
{
    StageProgress both = *this;
    for (const Stage& at : later.m_stages) {
        if (at.started)
            both.stage(at.name) = at;
    }
    both.m_memory = later.m_memory ? later.m_memory : m_memory;
    both.m_diskFree = later.m_diskFree ? later.m_diskFree : m_diskFree;
    return both;
}

bool StageProgress::hasFinished(const QString& name) const
{
    return std::ranges::any_of(m_stages, [&](const Stage& at) { return at.name == name && at.finished; });
}

void StageProgress::add(const Stage& more)
{
    Stage& at = stage(more.name);
    const bool totalKnown = more.total > 0 && (!at.started || at.total > 0);
    at.done += more.done;
    at.total = totalKnown ? at.total + more.total : 0;
    at.unit = more.started ? more.unit : at.unit;
    at.rate += more.finished ? 0 : more.rate;
    at.secondsLeft = std::max(at.secondsLeft, more.secondsLeft);
    at.started = at.started || more.started;
    addCounters(at.counters, more.counters);
}

Stage& StageProgress::stage(const QString& name)
{
    const auto found =
        std::find_if(m_stages.begin(), m_stages.end(), [&](const Stage& at) { return at.name == name; });
    if (found != m_stages.end())
        return *found;
    // A vocabulary is trained before everything else, and only when the user asked for it.
    const auto at = name == QLatin1String("vocabulary") ? m_stages.begin() : m_stages.end();
    return *m_stages.insert(at, Stage{.name = name, .unit = {}});
}

} // namespace trainyard
