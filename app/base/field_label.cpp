#include "app/base/field_label.h"

#include <algorithm>

#include <QCoreApplication>
#include <QRegularExpression>

#include "app/base/display_text.h"
#include "engine/spec/field_list.h"

namespace trainyard {

namespace {

/// Labels of objects, whose fields have labels of their own.
constexpr std::pair<const char*, const char*> kGroupLabels[] = {{"model", "Model"},
                                                                {"cluster", "Hosts"},
                                                                {"cluster.nodes", "Hosts"},
                                                                {"layout", "Parallelism"},
                                                                {"batch", "Batch"},
                                                                {"batch.ramp", "Batch ramp"},
                                                                {"optimizer", "Optimizer"},
                                                                {"precision", "Precision"},
                                                                {"memory", "Memory"},
                                                                {"dataset", "Data set"},
                                                                {"dataset.mix", "Mix of data sets"},
                                                                {"init", "Starting weights"},
                                                                {"task", "Task"},
                                                                {"lora", "Low-rank adapters"},
                                                                {"evaluation", "Evaluation"},
                                                                {"checkpoint", "Checkpoints"},
                                                                {"launch", "Launch"},
                                                                {"phases", "Phases"}};

const ListedField* listedField(const QString& path)
{
    const auto& fields = fieldList();
    const auto found = std::ranges::find(fields, path.toStdString(), &ListedField::path);
    return found == fields.end() ? nullptr : &*found;
}

/// With the unit of a size or duration, as in the form.
QString rowLabel(const ListedField& field)
{
    const QString label = fieldText(field.info.label);
    const bool hasUnit = field.kind == FieldKind::Size || field.kind == FieldKind::Duration;
    if (label.isEmpty() || !hasUnit)
        return label;
    return fieldText("%1 (%2)").arg(label, shortUnit(fieldText(field.info.unit)));
}

/// Matches the path of a field in a section or a list.
QRegularExpression pathPattern()
{
    QStringList sections;
    for (const ListedField& field : fieldList()) {
        const bool hasFields = field.kind == FieldKind::Section || field.kind == FieldKind::List;
        if (hasFields && field.section().empty())
            sections << QString::fromStdString(field.path);
    }
    return QRegularExpression(
        QStringLiteral(R"(\b(?:%1)(?:\[\d+\]|\.[a-z][a-z_0-9]*)+)").arg(sections.join(QLatin1Char('|'))));
}

/// Fields of list elements do not count: their labels name the element.
bool isLabelOfSeveral(const char* label)
{
    return std::ranges::count_if(fieldList(), [label](const ListedField& field) {
               return std::string_view(field.info.label) == label && !field.section().ends_with("[]");
           }) > 1;
}

/// "Phase 2: Global batch"; `field` is the phase's own, or one of the run that it overrides; may be empty.
QString labelInPhase(int phase, const QString& field)
{
    const QString label = fieldText("Phase %1").arg(phase + 1);
    if (field.isEmpty())
        return label;
    const QString own = QStringLiteral("phases[].") + field;
    const ListedField* listed = listedField(own);
    return fieldText("%1: %2").arg(label, fieldLabel(listed && listed->info.label[0] ? own : field));
}

/// The label alone does not say which of two schedules it is.
QString labelInTable(const QString& path)
{
    const ListedField* field = listedField(path);
    if (!field || !field->info.label[0] || !isLabelOfSeveral(field->info.label))
        return fieldLabel(path);
    return fieldText("%1: %2").arg(fieldLabel(toQString(field->section())), fieldLabel(path));
}

} // namespace

QString fieldText(const char* text)
{
    return text[0] ? QCoreApplication::translate("SpecField", text) : QString();
}

QString shortUnit(const QString& unit)
{
    if (unit == QLatin1String("seconds"))
        return QStringLiteral("s");
    return unit == QLatin1String("minutes") ? QStringLiteral("min") : unit;
}

QString fieldLabel(const QString& path)
{
    static const QRegularExpression node(QStringLiteral(R"(^cluster\.nodes\[(\d+)\](?:\.(\w+))?$)"));
    static const QRegularExpression mixed(QStringLiteral(R"(^dataset\.mix\[(\d+)\](?:\.(\w+))?$)"));
    static const QRegularExpression phase(QStringLiteral(R"(^phases\[(\d+)\](?:\.(.+))?$)"));
    static const QRegularExpression element(QStringLiteral(R"(^(.+)(\[\d+\])$)"));
    if (const auto match = node.match(path); match.hasMatch()) {
        const QString host = fieldText("Host %1").arg(match.captured(1).toInt() + 1);
        return !match.captured(2).isEmpty() ? fieldText("%1: %2").arg(host, match.captured(2)) : host;
    }
    if (const auto match = mixed.match(path); match.hasMatch()) {
        const QString set = fieldText("Data set %1").arg(match.captured(1).toInt() + 1);
        const QString field = match.captured(2);
        return field.isEmpty() || field == QLatin1String("path") ? set : fieldText("%1: %2").arg(set, field);
    }
    if (const auto match = phase.match(path); match.hasMatch())
        return labelInPhase(match.captured(1).toInt(), match.captured(2));
    if (const auto match = element.match(path); match.hasMatch())
        return fieldLabel(match.captured(1)) + QLatin1Char(' ') + match.captured(2);
    for (const auto& [entry, label] : kGroupLabels) {
        if (path == QLatin1String(entry))
            return fieldText(label);
    }
    const ListedField* field = listedField(path);
    const QString label = field ? rowLabel(*field) : QString();
    return label.isEmpty() ? path : label;
}

QString withFieldLabels(const QString& text)
{
    static const QRegularExpression paths = pathPattern();
    QString labelled;
    qsizetype done = 0;
    for (const QRegularExpressionMatch& match : paths.globalMatch(text)) {
        const QString label = fieldLabel(match.captured());
        if (label == match.captured())
            continue;
        labelled += text.mid(done, match.capturedStart() - done) + QChar(0x201C) + label + QChar(0x201D);
        done = match.capturedEnd();
    }
    return labelled + text.mid(done);
}

TextTable withFieldLabels(TextTable table)
{
    if (!table.columns.isEmpty())
        table.columns.front() = fieldText("Field");
    for (QStringList& row : table.rows) {
        const QString path = row.front();
        table.tips << path;
        row.front() = labelInTable(path);
        const ListedField* field = listedField(path);
        if (field && field->info.zero[0])
            std::replace(row.begin() + 1, row.end(), QStringLiteral("0"), fieldText(field->info.zero));
    }
    return table;
}

} // namespace trainyard
