#include "app/data/option_fields.h"

#include <limits>

#include <QCheckBox>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/form_row.h"
#include "app/widgets/input_boxes.h"
#include "datasets/options/prepare_fields.h"

namespace trainyard {

namespace {

/// The member that holds the value of an option.
template <typename Value>
OptionFields::Member<Value> memberOf(const std::string& option)
{
    return [option](PrepareRequest& request) -> Value& {
        Value* found = nullptr;
        describeOptions(request, [&]<typename Each>(const OptionInfo& info, Each& member) {
            if constexpr (std::is_same_v<Each, Value>) {
                if (option == info.option)
                    found = &member;
            }
        });
        TRAINYARD_CHECK(found);
        return *found;
    };
}

QString lineText(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

OptionFields::Paths nonEmptyLines(const QString& text)
{
    OptionFields::Paths lines;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (!line.trimmed().isEmpty())
            lines.emplace_back(line.trimmed().toStdString());
    }
    return lines;
}

QString linesOf(const OptionFields::Paths& paths)
{
    QStringList lines;
    for (const std::filesystem::path& path : paths)
        lines << lineText(path);
    return lines.join(QLatin1Char('\n'));
}

QString lineText(double value)
{
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString lineText(std::uint64_t value)
{
    return QString::number(value);
}

/// Paths and names.
template <typename Text>
void readLine(const QString& text, Text& value)
{
    value = text.trimmed().toStdString();
}

void readLine(const QString& text, double& value)
{
    value = text.toDouble();
}

void readLine(const QString& text, std::uint64_t& value)
{
    value = text.toULongLong();
}

template <typename Value>
QString choiceText(const Value& value)
{
    if constexpr (std::is_enum_v<Value>)
        return QString::fromUtf8(nameOf(value));
    else
        return QString::fromStdString(value);
}

template <typename Value>
void readChoice(const QString& text, Value& value)
{
    if constexpr (std::is_enum_v<Value>)
        value = enumFromName<Value>(text.toStdString()).value_or(value);
    else
        value = text.toStdString();
}

/// The field that shows problems of an option: both numbers of a shape are in one field.
std::string fieldOf(const std::string& option)
{
    return option == "--max-pred" ? "--seq-len" : option;
}

} // namespace

void OptionFields::addOption(QVBoxLayout* column, const char* option, const Words& words)
{
    PrepareRequest any;
    describeOptions(any, [&]<typename Value>(const OptionInfo& info, Value&) {
        if (std::string_view(info.option) != option)
            return;
        const Member<Value> member = memberOf<Value>(option);
        if constexpr (std::is_same_v<Value, bool>) {
            addFlag(column, option, words, member);
        } else if constexpr (std::is_same_v<Value, int>) {
            // One shard can be typed, to see why it is too few.
            addNumber(column, option, words, member, std::min(1, int(info.range.min)), int(info.range.max));
        } else if constexpr (std::is_same_v<Value, double>) {
            addLine(column, option, words, member, QStringLiteral("[0-9]*\\.?[0-9]*"));
        } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
            if (info.isSize)
                addMebibytes(column, option, words, member);
            else
                addLine(column, option, words, member, QStringLiteral("[0-9]{1,19}"));
        } else if constexpr (std::is_enum_v<Value>) {
            addChoice(column, option, words, member);
        } else if (info.choices.empty()) {
            addLine(column, option, words, member);
        } else if constexpr (std::is_same_v<Value, std::string>) {
            addChoice(column, option, words, member);
        }
    });
}

FormRow* OptionFields::addRow(QVBoxLayout* column, const char* name, QWidget* field, const Words& words,
                              std::function<void(PrepareRequest&)> show,
                              std::function<void(PrepareRequest&)> take)
{
    auto* row = new FormRow(words.label, field, words.help, FormRow::Help::Always);
    column->addWidget(row);
    m_fields[name] = {row, std::move(show), std::move(take)};
    return row;
}

void OptionFields::addNumber(QVBoxLayout* column, const char* name, const Words& words,
                             const Member<int>& member, int low, int high)
{
    auto* box = new NumberBox(low, high, words.unit);
    if (low == 0)
        box->setSpecialValueText(words.zero);
    addRow(
        column, name, box, words, [box, member](PrepareRequest& o) { box->showValue(member(o)); },
        [box, member](PrepareRequest& o) { member(o) = box->value(); });
    connect(box, &QSpinBox::valueChanged, this, [this, name] { touch(name); });
}

void OptionFields::addPath(QVBoxLayout* column, const char* name, const Words& words,
                           const Member<std::filesystem::path>& member)
{
    addLine(column, name, words, member);
}

template <typename Value>
void OptionFields::addLine(QVBoxLayout* column, const char* name, const Words& words,
                           const Member<Value>& member, const QString& accepted)
{
    auto* line = new QLineEdit;
    line->setPlaceholderText(words.text);
    addRow(
        column, name, line, words, [line, member](PrepareRequest& o) { line->setText(lineText(member(o))); },
        [line, member](PrepareRequest& o) { readLine(line->text(), member(o)); });
    connect(line, &QLineEdit::textEdited, this, [this, name] { touch(name); });
    if (!accepted.isEmpty()) {
        line->setValidator(new QRegularExpressionValidator(QRegularExpression(accepted), line));
        return;
    }
    // A path is often longer than its field.
    connect(line, &QLineEdit::textChanged, line, [line, help = words.help](const QString& text) {
        line->setToolTip(wrappedToolTip(text.isEmpty() ? help : text + QLatin1Char('\n') + help));
    });
}

QPlainTextEdit* OptionFields::addPaths(QVBoxLayout* column, const char* name, const Words& words,
                                       const Member<Paths>& member)
{
    constexpr int kLines = 2;
    auto* field = new QPlainTextEdit;
    field->setTabChangesFocus(true);
    field->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    field->setPlaceholderText(words.text);
    field->setLineWrapMode(QPlainTextEdit::NoWrap);
    field->setFixedHeight(kLines * field->fontMetrics().lineSpacing() + 2 * metrics::kGap + 4);
    addRow(
        column, name, field, words,
        [field, member](PrepareRequest& o) { field->setPlainText(linesOf(member(o))); },
        [field, member](PrepareRequest& o) { member(o) = nonEmptyLines(field->toPlainText()); });
    connect(field, &QPlainTextEdit::textChanged, this, [this, name] { touch(name); });
    return field;
}

void OptionFields::addMebibytes(QVBoxLayout* column, const char* name, const Words& words,
                                const Member<Bytes>& member)
{
    auto* box = new NumberBox(1, std::numeric_limits<int>::max(), tr("MiB"));
    addRow(
        column, name, box, words,
        [box, member](PrepareRequest& o) { box->showValue(static_cast<int>(member(o) / kMiB)); },
        [box, member](PrepareRequest& o) { member(o) = static_cast<Bytes>(box->value()) * kMiB; });
    connect(box, &QSpinBox::valueChanged, this, [this, name] { touch(name); });
}

void OptionFields::addFlag(QVBoxLayout* column, const char* name, const Words& words,
                           const Member<bool>& member)
{
    auto* box = new QCheckBox(words.text);
    addRow(
        column, name, box, words, [box, member](PrepareRequest& o) { box->setChecked(member(o)); },
        [box, member](PrepareRequest& o) { member(o) = box->isChecked(); });
    connect(box, &QCheckBox::clicked, this, [this, name] { touch(name); });
}

template <typename Value>
void OptionFields::addChoice(QVBoxLayout* column, const char* name, const Words& words,
                             const Member<Value>& member)
{
    auto* box = new ChoiceBox;
    for (const Choice& choice : words.choices)
        box->addItem(choice.text, choice.value);
    addRow(
        column, name, box, words,
        [box, member](PrepareRequest& o) {
            box->setCurrentIndex(std::max(0, box->findData(choiceText(member(o)))));
        },
        [box, member](PrepareRequest& o) { readChoice(box->currentData().toString(), member(o)); });
    connect(box, &QComboBox::activated, this, [this, name] { touch(name); });
}

PrepareRequest OptionFields::request() const
{
    PrepareRequest request;
    for (const auto& [name, field] : m_fields)
        field.take(request);
    return request;
}

void OptionFields::show(PrepareRequest request)
{
    for (auto& [name, field] : m_fields)
        field.show(request);
    for (auto& [name, field] : m_fields)
        field.visited = false; // fields tell of the changes too that were made for them
    emit edited();
}

void OptionFields::touch(const char* name)
{
    m_fields.at(name).visited = true;
    emit edited();
}

void OptionFields::showProblems(const Diagnostics& problems, bool all)
{
    for (auto& [name, field] : m_fields) {
        QString sentence;
        for (const Diagnostic& problem : problems) {
            if (sentence.isEmpty() && fieldOf(problem.path) == name && (all || field.visited))
                sentence = QString::fromStdString(problem.message + " — " + problem.hint);
        }
        field.row->setError(sentence);
    }
}

void OptionFields::setVisible(const char* name, bool visible) const
{
    m_fields.at(name).row->setVisible(visible);
}

FormRow* OptionFields::row(const std::string& name) const
{
    const auto found = m_fields.find(fieldOf(name));
    return found == m_fields.end() ? nullptr : found->second.row;
}

} // namespace trainyard
