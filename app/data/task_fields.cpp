#include "app/data/task_fields.h"

#include <QCoreApplication>
#include <QLineEdit>
#include <QVBoxLayout>

#include "app/widgets/form_row.h"

namespace trainyard {

namespace {

QString words(const char* text)
{
    return QCoreApplication::translate("TaskFields", text);
}

std::vector<std::string> labelsIn(const QString& line)
{
    std::vector<std::string> labels;
    for (const QString& label : line.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (!label.trimmed().isEmpty())
            labels.push_back(label.trimmed().toStdString());
    }
    return labels;
}

QString filesHelp(TaskKind kind)
{
    switch (kind) {
    case TaskKind::None:
        return words(
            "Wiki dumps (all parts, in order), JSON lines, Parquet, Arrow or plain text, one per line; "
            "or the folder of a data set of Hugging Face");
    case TaskKind::Tag:
        return words(
            "CoNLL: a word and its tag on each line, with an empty line between sentences; or .jsonl, "
            ".parquet or .arrow");
    case TaskKind::Answer:
        return words("SQuAD 1.1 or 2.0 (.json), or its columns in .parquet or .arrow");
    case TaskKind::Complete:
        return words(
            "Prompts with their completions: .tsv, .csv, .jsonl, .parquet or .arrow, one file per line");
    default:
        return words(
            "Labelled rows: .tsv, .csv, .jsonl, .parquet or .arrow, one file per line; or the folder of "
            "a GLUE task");
    }
}

QString rowsHelp(TaskKind kind)
{
    if (kind == TaskKind::None)
        return words("Row length, including padding; BERT trains on short rows first, then on long ones. "
                     "Both phases create two data sets, in folders seq128 and seq512");
    return kind == TaskKind::Answer
               ? words("Tokens per row, with question and padding; a longer text becomes several rows")
               : words("Tokens per row, including padding; longer texts lose their end");
}

QString columnHelp(TaskKind kind)
{
    if (kind == TaskKind::None)
        return words("Of JSON lines, Parquet and Arrow; empty = text. Dumps and plain text have none");
    return words("Name, or number from 1; empty = sentence, text, prompt and other usual ones");
}

bool isTable(TaskKind kind)
{
    return kind == TaskKind::Classify || kind == TaskKind::Regress || kind == TaskKind::Complete;
}

} // namespace

void addTaskChoice(OptionFields& fields, QVBoxLayout* column)
{
    fields.addOption(column, "--task",
                     {.label = words("Task"),
                      .help = words("Plain text pre-trains a model; labelled examples fine-tune one"),
                      .choices = {{"none", words("Pre-training on plain text")},
                                  {"classify", words("Classification of sentences or pairs")},
                                  {"regress", words("Regression on sentences or pairs")},
                                  {"tag", words("Token classification")},
                                  {"answer", words("Question answering (SQuAD)")},
                                  {"complete", words("Prompt completion (GPT)")}}});
}

void addTaskColumns(OptionFields& fields, QVBoxLayout* column)
{
    fields.addOption(
        column, "--text",
        {.label = words("Text column"), .help = columnHelp(TaskKind::None), .text = words("usual names")});
    fields.addOption(
        column, "--pair",
        {.label = words("Second column"),
         .help = words("Column of the second sentence; empty = the usual names, if the file has one"),
         .text = words("usual names")});
    fields.addOption(column, "--label",
                     {.label = words("Label column"),
                      .help = words("Column of the class, number, tags or completion"),
                      .text = words("usual names")});
    fields.addOption(column, "--no-header",
                     {.label = words("First line"),
                      .help = words("Default: the first line names the columns"),
                      .text = words("Is an example")});
}

void addTaskDetails(OptionFields& fields, QVBoxLayout* column)
{
    auto* labels = new QLineEdit;
    labels->setPlaceholderText(words("those of the examples, sorted"));
    fields.addRow(
        column, "--labels", labels,
        {words("Labels"), words("In the order of their numbers, separated by commas; others are an error")},
        [labels](const PrepareRequest& o) {
            labels->setText(toStringList(o.task.labels).join(QStringLiteral(", ")));
        },
        [labels](PrepareRequest& o) { o.task.labels = labelsIn(labels->text()); });
    QObject::connect(labels, &QLineEdit::textEdited, &fields, [&fields] { fields.touch("--labels"); });
    fields.addOption(column, "--doc-stride",
                     {.label = words("Overlap"),
                      .help = words("Tokens that two rows of one long text share; default 128"),
                      .unit = words("tokens")});
}

void showTaskRows(const OptionFields& fields, const TaskOptions& task)
{
    const TaskKind kind = task.kind;
    const bool hasPair = kind == TaskKind::Classify || kind == TaskKind::Regress;
    fields.setVisible("--text", kind != TaskKind::Answer);
    fields.setVisible("--pair", hasPair);
    fields.setVisible("--label", isTable(kind) || kind == TaskKind::Tag);
    fields.setVisible("--no-header", isTable(kind));
    fields.setVisible("--labels", kind == TaskKind::Classify || kind == TaskKind::Tag);
    fields.setVisible("--held-out", task.isOn());
    fields.setVisible("--doc-stride", kind == TaskKind::Answer);
    fields.row("dumps")->setHelp(filesHelp(kind));
    fields.row("--text")->setHelp(columnHelp(kind));
    fields.row("--seq-len")->setHelp(rowsHelp(kind));
}

} // namespace trainyard
