#pragma once

#include <QCoreApplication>

#include "app/designer/spec_field.h"
#include "engine/spec/names.h"

namespace trainyard {

/// What all fields have.
struct FieldWords {
    const char* path; ///< JSON path
    const char* label;
    const char* help; ///< the effect
    const char* unit = "";
    const char* source = ""; ///< of what it does; papers as "arXiv:" and their number
};

inline QString fieldText(const char* text)
{
    return text[0] ? QCoreApplication::translate("SpecField", text) : QString();
}

inline SpecField plainField(const FieldWords& words, SpecField::Kind kind)
{
    SpecField field;
    field.path = QLatin1String(words.path);
    field.label = fieldText(words.label);
    field.unit = fieldText(words.unit);
    field.effect = fieldText(words.help);
    field.source = QLatin1String(words.source);
    field.kind = kind;
    return field;
}

// `reach` reaches one member of the specification: `[](auto& spec) -> auto& { return spec.model.layers; }`.

template <typename Reach>
SpecField integerField(const FieldWords& words, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Integer);
    field.get = [reach](const RunSpec& spec) { return QVariant(static_cast<int>(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.toInt(); };
    return field;
}

template <typename Reach>
SpecField realField(const FieldWords& words, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Real);
    field.get = [reach](const RunSpec& spec) { return QVariant(reach(spec)); };
    field.set = [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.toDouble(); };
    return field;
}

template <typename Reach>
SpecField textField(const FieldWords& words, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Text);
    field.get = [reach](const RunSpec& spec) { return QVariant(QString::fromStdString(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = value.toString().toStdString();
    };
    return field;
}

template <typename Reach>
SpecField yesNoField(const FieldWords& words, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Choice);
    field.choices = {fieldText("no"), fieldText("yes")};
    field.get = [reach, choices = field.choices](const RunSpec& spec) {
        return QVariant(choices[reach(spec) ? 1 : 0]);
    };
    field.set = [reach, choices = field.choices](RunSpec& spec, const QVariant& value) {
        reach(spec) = value.toString() == choices[1];
    };
    return field;
}

template <typename Enum>
QStringList namesOf()
{
    const auto names = acceptedNames<Enum>();
    return QString::fromUtf8(names.data(), static_cast<qsizetype>(names.size())).split(QStringLiteral(", "));
}

template <typename Enum>
QString shownName(Enum value)
{
    const auto name = nameOf(value);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

template <typename Enum, typename Reach>
SpecField choiceField(const FieldWords& words, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Choice);
    field.choices = namesOf<Enum>();
    field.get = [reach](const RunSpec& spec) { return QVariant(shownName<Enum>(reach(spec))); };
    field.set = [reach](RunSpec& spec, const QVariant& value) {
        reach(spec) = enumFromName<Enum>(value.toString().toStdString()).value_or(reach(spec));
    };
    return field;
}

} // namespace trainyard
