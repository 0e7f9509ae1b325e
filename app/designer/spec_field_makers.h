#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>

#include "app/base/display_text.h"
#include "app/base/field_label.h"
#include "app/designer/spec_field.h"
#include "engine/spec/field_info.h"
#include "engine/spec/names.h"

namespace trainyard {

template <typename Enum>
QStringList namesOf()
{
    return QString::fromStdString(acceptedNames<Enum>()).split(QStringLiteral(", "));
}

/// Returns the bytes or milliseconds of the unit in which the form shows a size or duration.
double formUnit(const FieldInfo& info);
/// Returns why the text is not a seed; empty = valid.
QString seedComplaint(const QString& text);
/// Joins texts as "query, value", and splits them.
QString listText(const std::vector<std::string>& texts);
std::vector<std::string> listIn(const QString& text);
QString partitionText(const StagePartition& partition);
QString partitionComplaint(const QString& text);
StagePartition partitionIn(const QString& text);

// The makers below give a field its kind, getter and setter. `reach` returns its member: `[](auto& spec) ->
// auto& { return spec.model.layers; }`.

/// Makes a field for a number in the form's unit; `raw` and `set` use bytes or milliseconds, like the member.
template <typename Raw, typename Set>
void makeQuantity(SpecField& field, double unit, Raw raw, Set set)
{
    field.kind = SpecField::Kind::Real;
    field.label = fieldText("%1 (%2)").arg(field.label, shortUnit(field.unit));
    field.get = [unit, raw](const RunSpec& spec) { return QVariant(static_cast<double>(raw(spec)) / unit); };
    field.set = [unit, set](RunSpec& spec, const QVariant& value) {
        set(spec, std::llround(std::max(0.0, value.toDouble()) * unit));
    };
}

template <typename Reach>
void makeFlag(SpecField& field, Reach reach)
{
    field.kind = SpecField::Kind::Choice;
    field.choices = {fieldText("no"), fieldText("yes")};
    field.get = [reach, choices = field.choices](const RunSpec& spec) {
        return QVariant(choices[reach(spec) ? 1 : 0]);
    };
    field.set = [reach, yes = field.choices[1]](RunSpec& spec, const QVariant& value) {
        reach(spec) = value.toString() == yes;
    };
}

template <typename Enum, typename Reach>
void makeChoice(SpecField& field, Reach reach)
{
    field.kind = SpecField::Kind::Choice;
    field.choices = namesOf<Enum>();
    field.get = [reach](const RunSpec& spec) { return QVariant(toQString(nameOf(reach(spec)))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = enumFromName<Enum>(value.toString().toStdString()).value_or(reach(spec));
    };
}

template <typename Reach>
void makeSeed(SpecField& field, Reach reach)
{
    field.kind = SpecField::Kind::Text; // a spin box does not hold 64 bits
    field.get = [reach](const RunSpec& spec) { return QVariant(QString::number(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = value.toString().toULongLong();
    };
    field.complaint = seedComplaint;
}

template <typename Reach>
void makePartition(SpecField& field, Reach reach)
{
    field.kind = SpecField::Kind::Text;
    field.get = [reach](const RunSpec& spec) { return QVariant(partitionText(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = partitionIn(value.toString());
    };
    field.complaint = partitionComplaint;
}

template <typename Reach>
void makeText(SpecField& field, const FieldInfo& info, Reach reach)
{
    field.kind = info.choices[0] ? SpecField::Kind::Choice : SpecField::Kind::Text;
    field.choices = QString::fromUtf8(info.choices).split(QStringLiteral(", "), Qt::SkipEmptyParts);
    field.get = [reach](const RunSpec& spec) { return QVariant(QString::fromStdString(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = value.toString().toStdString();
    };
}

template <typename Reach>
void makeTexts(SpecField& field, Reach reach)
{
    field.kind = SpecField::Kind::Text;
    field.get = [reach](const RunSpec& spec) { return QVariant(listText(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) { reach(spec) = listIn(value.toString()); };
}

template <typename Value, typename Reach>
void makeNumber(SpecField& field, Reach reach)
{
    field.kind = std::is_same_v<Value, int> ? SpecField::Kind::Integer : SpecField::Kind::Real;
    field.get = [reach](const RunSpec& spec) { return QVariant(reach(spec)); };
    field.set = [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.value<Value>(); };
}

/// Makes the row of a member of type `Value`.
template <typename Value, typename Reach>
void makeRow(SpecField& field, const FieldInfo& info, Reach reach)
{
    if constexpr (std::is_same_v<Value, bool>)
        makeFlag(field, reach);
    else if constexpr (std::is_enum_v<Value>)
        makeChoice<Value>(field, reach);
    else if constexpr (std::is_same_v<Value, StagePartition>)
        makePartition(field, reach);
    else if constexpr (std::is_same_v<Value, std::string>)
        makeText(field, info, reach);
    else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
        makeTexts(field, reach);
    else if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
        makeQuantity(
            field, formUnit(info), [reach](const RunSpec& spec) { return reach(spec).count(); },
            [reach](RunSpec& spec, long long count) { reach(spec) = Value(count); });
    else if constexpr (std::is_same_v<Value, Bytes>) {
        if (info.isSize())
            makeQuantity(field, formUnit(info), reach, [reach](RunSpec& spec, long long count) {
                reach(spec) = static_cast<Bytes>(count);
            });
        else
            makeSeed(field, reach);
    } else
        makeNumber<Value>(field, reach);
}

/// Completes the rows that set more than one member of the specification or show other values: presets,
/// family, ZeRO stage. Does not change other rows.
void specialize(SpecField& field);

} // namespace trainyard
