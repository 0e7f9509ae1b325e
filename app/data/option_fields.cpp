#include "app/data/option_fields.h"

#include <limits>

#include <QCheckBox>
#include <QLineEdit>
#include <QLocale>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/form_row.h"
#include "app/widgets/number_box.h"

namespace trainyard {

namespace {

QLineEdit* makeLine(const QString& accepted)
{
    auto* line = new QLineEdit;
    line->setValidator(new QRegularExpressionValidator(QRegularExpression(accepted), line));
    return line;
}

} // namespace

FormRow* OptionFields::addRow(QVBoxLayout* column, const char* member, QWidget* field, const Words& words,
                              std::function<void(const PrepareOptions&)> show,
                              std::function<void(PrepareOptions&)> take)
{
    auto* row = new FormRow(words.label, field, words.help, FormRow::Help::Always);
    column->addWidget(row);
    m_fields[member] = {row, std::move(show), std::move(take)};
    return row;
}

void OptionFields::addNumber(QVBoxLayout* column, const char* member, int PrepareOptions::*value, Range range,
                             const Words& words)
{
    auto* box = new NumberBox(range.low, range.high, words.unit);
    addRow(
        column, member, box, words, [box, value](const PrepareOptions& o) { box->showValue(o.*value); },
        [box, value](PrepareOptions& o) { o.*value = box->value(); });
    connect(box, &QSpinBox::valueChanged, this, [this, member] { touch(member); });
}

void OptionFields::addText(QVBoxLayout* column, const char* member, QString PrepareOptions::*value,
                           const QString& placeholder, const Words& words)
{
    auto* line = new QLineEdit;
    line->setPlaceholderText(placeholder);
    addRow(
        column, member, line, words, [line, value](const PrepareOptions& o) { line->setText(o.*value); },
        [line, value](PrepareOptions& o) { o.*value = line->text().trimmed(); });
    connect(line, &QLineEdit::textEdited, this, [this, member] { touch(member); });
    // A path is often longer than its field.
    connect(line, &QLineEdit::textChanged, line, [line, help = words.help](const QString& text) {
        line->setToolTip(wrappedToolTip(text.isEmpty() ? help : text + QLatin1Char('\n') + help));
    });
}

void OptionFields::addShare(QVBoxLayout* column, const char* member, double PrepareOptions::*value,
                            const Words& words)
{
    auto* line = makeLine(QStringLiteral("[0-9]*\\.?[0-9]*"));
    addRow(
        column, member, line, words,
        [line, value](const PrepareOptions& o) {
            line->setText(QString::number(o.*value, 'g', QLocale::FloatingPointShortest));
        },
        [line, value](PrepareOptions& o) { o.*value = line->text().toDouble(); });
    connect(line, &QLineEdit::textEdited, this, [this, member] { touch(member); });
}

void OptionFields::addSeed(QVBoxLayout* column, const char* member, std::uint64_t PrepareOptions::*value,
                           const Words& words)
{
    auto* line = makeLine(QStringLiteral("[0-9]{1,19}"));
    addRow(
        column, member, line, words,
        [line, value](const PrepareOptions& o) { line->setText(QString::number(o.*value)); },
        [line, value](PrepareOptions& o) { o.*value = line->text().toULongLong(); });
    connect(line, &QLineEdit::textEdited, this, [this, member] { touch(member); });
}

void OptionFields::addMebibytes(QVBoxLayout* column, const char* member, Bytes PrepareOptions::*value,
                                const Words& words)
{
    auto* box = new NumberBox(1, std::numeric_limits<int>::max(), tr("MiB"));
    addRow(
        column, member, box, words,
        [box, value](const PrepareOptions& o) { box->showValue(static_cast<int>(o.*value / kMiB)); },
        [box, value](PrepareOptions& o) { o.*value = static_cast<Bytes>(box->value()) * kMiB; });
    connect(box, &QSpinBox::valueChanged, this, [this, member] { touch(member); });
}

void OptionFields::addFlag(QVBoxLayout* column, const char* member, bool PrepareOptions::*value,
                           const QString& text, const Words& words)
{
    auto* box = new QCheckBox(text);
    addRow(
        column, member, box, words, [box, value](const PrepareOptions& o) { box->setChecked(o.*value); },
        [box, value](PrepareOptions& o) { o.*value = box->isChecked(); });
    connect(box, &QCheckBox::clicked, this, [this, member] { touch(member); });
}

void OptionFields::addChoice(QVBoxLayout* column, const char* member, QString PrepareOptions::*value,
                             const QList<Choice>& choices, const Words& words)
{
    auto* box = new ChoiceBox;
    for (const Choice& choice : choices)
        box->addItem(choice.text, choice.value);
    addRow(
        column, member, box, words,
        [box, value](const PrepareOptions& o) { box->setCurrentIndex(std::max(0, box->findData(o.*value))); },
        [box, value](PrepareOptions& o) { o.*value = box->currentData().toString(); });
    connect(box, &QComboBox::activated, this, [this, member] { touch(member); });
}

PrepareOptions OptionFields::options() const
{
    PrepareOptions options;
    for (const auto& [member, field] : m_fields)
        field.take(options);
    return options;
}

void OptionFields::show(const PrepareOptions& options)
{
    for (auto& [member, field] : m_fields)
        field.show(options);
    for (auto& [member, field] : m_fields)
        field.visited = false; // fields tell of the changes too that were made for them
    emit edited();
}

void OptionFields::touch(const char* member)
{
    m_fields.at(member).visited = true;
    emit edited();
}

void OptionFields::showProblems(const Diagnostics& problems, bool all)
{
    for (auto& [member, field] : m_fields) {
        QString sentence;
        for (const Diagnostic& problem : problems) {
            if (sentence.isEmpty() && problem.path == member && (all || field.visited))
                sentence = QString::fromStdString(problem.message + " — " + problem.hint);
        }
        field.row->setError(sentence);
    }
}

FormRow* OptionFields::row(const std::string& member) const
{
    const auto found = m_fields.find(member);
    return found == m_fields.end() ? nullptr : found->second.row;
}

} // namespace trainyard
