#include "app/history/model/run_groups.h"

#include <map>

#include <QRegularExpression>

#include "app/base/display_text.h"
#include "app/history/model/run_comparison.h"
#include "app/runs/open_run.h"

namespace trainyard {

namespace {

/// What a group is found by, and what it is called.
struct Membership {
    QString key;
    QString name;
};

/// "bert-s3", "bert seed=3", "bert_3" -> "bert".
QString withoutLastNumber(const QString& name)
{
    static const QRegularExpression end(QStringLiteral("[-_ ./=]*(seed|run|rep|s)?[-_ ./=]*\\d+$"),
                                        QRegularExpression::CaseInsensitiveOption);
    const QString stem = QString(name).remove(end);
    return stem.isEmpty() ? name : stem;
}

QString exceptSeeds(const OpenRun& run)
{
    QString text;
    for (const auto& [path, value] : specFieldsOf(run)) {
        if (path != QLatin1String("seed"))
            text += path + QLatin1Char('=') + value + QLatin1Char('\n');
    }
    return text;
}

Membership asRepetition(const OpenRun& run)
{
    const QString stem = withoutLastNumber(oneLine(run.facts().name()));
    return {run.facts().spec ? exceptSeeds(run) : stem, stem};
}

Membership byField(const OpenRun& run, const QString& field)
{
    const SpecFields fields = specFieldsOf(run);
    const auto found = fields.find(field);
    if (found == fields.end())
        return {{}, QObject::tr("without %1").arg(field)};
    return {field + QLatin1Char('=') + found->second, QStringLiteral("%1 = %2").arg(field, found->second)};
}

QList<Membership> membershipsOf(const OpenRun& run, const Grouping& grouping, const QString& label,
                                const QStringList& tags)
{
    switch (grouping.by) {
    case Grouping::By::Repetitions:
        return {asRepetition(run)};
    case Grouping::By::Field:
        return {byField(run, grouping.field)};
    case Grouping::By::Tag: {
        QList<Membership> all;
        for (const QString& tag : tags)
            all.append({tag, oneLine(tag)});
        return all.isEmpty() ? QList<Membership>{{{}, QObject::tr("no tag")}} : all;
    }
    case Grouping::By::Nothing:
        break;
    }
    return {{run.id(), label}};
}

/// Groups that would be called the same are numbered.
void tellApart(QList<RunGroup>& groups)
{
    std::map<QString, int> times;
    for (const RunGroup& group : groups)
        ++times[group.name];
    std::map<QString, int> seen;
    for (RunGroup& group : groups) {
        if (times[group.name] > 1)
            group.name += QStringLiteral(" (%1)").arg(++seen[group.name]);
    }
}

} // namespace

QList<RunGroup> groupRuns(const QList<const OpenRun*>& runs, const Grouping& grouping,
                          const std::function<QStringList(const QString& runId)>& tagsOf)
{
    const QStringList labels = labelsOf(runs);
    QList<RunGroup> groups;
    std::map<QString, qsizetype> places;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        for (const Membership& membership :
             membershipsOf(*runs[i], grouping, labels[i], tagsOf(runs[i]->id()))) {
            const auto [place, isNew] = places.try_emplace(membership.key, groups.size());
            if (isNew)
                groups.append({membership.name, {}});
            groups[place->second].runs.append(runs[i]);
        }
    }
    tellApart(groups);
    return groups;
}

QStringList differingFields(const QList<const OpenRun*>& runs)
{
    QStringList fields;
    for (const QStringList& row : specificationDifferences(runs).rows)
        fields.append(row.first());
    return fields;
}

} // namespace trainyard
