#include "app/data/prepare_form.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/models/host_entry.h"
#include "app/models/theme.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/form_row.h"
#include "app/widgets/number_box.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

struct Phase {
    int sequenceLength;
    int maxPredictions;
};
constexpr Phase kPhases[] = {{128, 20}, {512, 80}};
constexpr int kOwnValues = 2;
constexpr int kDumpLines = 2;

QStringList nonEmptyLines(const QString& text)
{
    QStringList lines;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (!line.trimmed().isEmpty())
            lines << line.trimmed();
    }
    return lines;
}

} // namespace

PrepareForm::PrepareForm(QWidget* parent)
    : QFrame(parent)
    , m_host(new ChoiceBox)
    , m_dumps(new QPlainTextEdit)
    , m_vocabulary(new ChoiceBox)
    , m_vocabularyFile(new QLineEdit)
    , m_vocabularySize(new NumberBox(1, 10'000'000, tr("entries")))
    , m_output(new QLineEdit)
    , m_phase(new ChoiceBox)
    , m_sequenceLength(new NumberBox(1, 65536, tr("tokens")))
    , m_maxPredictions(new NumberBox(1, 65536, tr("positions")))
    , m_dupe(new NumberBox(1, 1000, tr("passes")))
    , m_shards(new NumberBox(1, 65536, tr("files")))
    , m_seed(new QLineEdit)
    , m_threads(new NumberBox(1, 1024, tr("threads")))
    , m_prepare(makeButton(tr("&Prepare"), "primary"))
{
    setRole(this, "panel");
    auto* leave = makeButton(tr("Close"));
    auto* header = new QHBoxLayout;
    header->addWidget(makeLabel(tr("Prepare a data set"), "heading"));
    header->addStretch(1);
    header->addWidget(leave);
    header->addWidget(m_prepare);

    auto* columns = new QWidget;
    auto* row = new QHBoxLayout(columns);
    row->setContentsMargins(0, 0, metrics::kGap, 0);
    row->setSpacing(3 * metrics::kGap);
    row->addWidget(makeSourceColumn(), 1);
    row->addWidget(makeShapeColumn(), 1);
    setRole(columns, "form");
    auto* scroll = new QScrollArea;
    scroll->setWidget(columns);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap);
    column->setSpacing(metrics::kPanelPadding);
    column->addLayout(header);
    column->addWidget(scroll, 1);

    connect(leave, &QPushButton::clicked, this, &PrepareForm::closed);
    connect(m_prepare, &QPushButton::clicked, this, &PrepareForm::submit);
    setHosts({thisMachine()});
    setOptions({});
}

FormRow* PrepareForm::addRow(QVBoxLayout* column, const char* member, const QString& label, QWidget* field,
                             const QString& help)
{
    auto* row = new FormRow(label, field, help, FormRow::Help::Always);
    column->addWidget(row);
    m_rows[member] = row;
    if (auto* line = qobject_cast<QLineEdit*>(field))
        connect(line, &QLineEdit::textEdited, this, [this, member] { onEdited(member); });
    else if (auto* number = qobject_cast<QSpinBox*>(field))
        connect(number, &QSpinBox::valueChanged, this, [this, member] { onEdited(member); });
    return row;
}

QWidget* PrepareForm::makeDumpField()
{
    m_dumps->setTabChangesFocus(true);
    m_dumps->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_dumps->setPlaceholderText(tr("/data/enwiki-pages-articles.xml.bz2"));
    m_dumps->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_dumps->setFixedHeight(kDumpLines * m_dumps->fontMetrics().lineSpacing() + 2 * metrics::kGap + 4);
    connect(m_dumps, &QPlainTextEdit::textChanged, this, [this] { onEdited("dumps"); });
    return m_dumps;
}

QWidget* PrepareForm::makeSourceColumn()
{
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    addRow(column, "host", tr("Host"), m_host,
           tr("Does the work and keeps the result; paths are those of this host"));
    addRow(column, "dumps", tr("Dump files"), makeDumpField(),
           tr("MediaWiki exports, .xml or .xml.bz2, one a line"));
    auto* choose = makeButton(tr("Choose files…"), "link");
    column->addWidget(choose, 0, Qt::AlignRight);
    m_vocabulary->addItems({tr("From a file"), tr("Trained on the dump")});
    addRow(column, "vocabulary", tr("Vocabulary"), m_vocabulary,
           tr("A file gives the word pieces of an existing model; training makes new ones"));
    m_vocabularyFile->setPlaceholderText(tr("/data/vocab.txt"));
    auto* file = addRow(column, "vocabularyFile", tr("Vocabulary file"), m_vocabularyFile,
                        tr("One WordPiece a line, with [PAD], [UNK], [CLS], [SEP] and [MASK]"));
    auto* size = addRow(column, "vocabularySize", tr("Vocabulary size"), m_vocabularySize,
                        tr("How many word pieces to train; BERT has 30 522"));
    m_output->setPlaceholderText(tr("/data/enwiki-128"));
    addRow(column, "outputFolder", tr("Output folder"), m_output,
           tr("A new folder; it appears when everything is done"));
    column->addStretch(1);

    connect(choose, &QPushButton::clicked, this, &PrepareForm::chooseDumps);
    connect(m_host, &QComboBox::currentTextChanged, choose,
            [this, choose] { choose->setVisible(m_host->currentData().toString() == thisMachine()); });
    const auto showVocabulary = [this, file, size] {
        file->setVisible(m_vocabulary->currentIndex() == 0);
        size->setVisible(m_vocabulary->currentIndex() == 1);
        showProblems(false);
    };
    connect(m_vocabulary, &QComboBox::currentIndexChanged, this, showVocabulary);
    showVocabulary();
    return widget;
}

QWidget* PrepareForm::makeShapeColumn()
{
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    m_phase->addItems(
        {tr("Phase 1: 128 tokens, 20 masked"), tr("Phase 2: 512 tokens, 80 masked"), tr("Own values")});
    addRow(column, "phase", tr("Phase"), m_phase, tr("BERT trains on short rows first, then on long ones"));
    addRow(column, "sequenceLength", tr("Sequence length"), m_sequenceLength,
           tr("Tokens of a row, padding included; default 128"));
    addRow(column, "maxPredictions", tr("Masked positions"), m_maxPredictions,
           tr("At most, per row; 15 % of the tokens are masked; default 20"));
    addRow(column, "dupeFactor", tr("Duplicates"), m_dupe,
           tr("Passes over every document, each with other pairs and masks; default 5"));
    addRow(column, "shards", tr("Training shards"), m_shards,
           tr("HDF5 files of equal rows; best a multiple of the number of ranks; default 8"));
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), m_seed));
    addRow(column, "seed", tr("Seed"), m_seed,
           tr("The same seed gives the same bytes, on any number of threads"));
    addRow(column, "threads", tr("Threads"), m_threads, tr("On the host; default 2"));
    column->addStretch(1);
    connect(m_phase, &QComboBox::activated, this, &PrepareForm::onPhaseChosen);
    return widget;
}

void PrepareForm::setHosts(const QStringList& hosts)
{
    const QVariant current = m_host->currentData();
    m_host->clear();
    for (const QString& host : hosts)
        m_host->addItem(host == thisMachine() ? tr("This machine") : host, host);
    m_host->setCurrentIndex(std::max(0, m_host->findData(current)));
}

PrepareOptions PrepareForm::options() const
{
    PrepareOptions options;
    options.host = m_host->currentData().toString();
    options.dumps = nonEmptyLines(m_dumps->toPlainText());
    options.vocabulary = m_vocabulary->currentIndex() == 0 ? PrepareOptions::Vocabulary::File
                                                           : PrepareOptions::Vocabulary::Train;
    options.vocabularyFile = m_vocabularyFile->text().trimmed();
    options.vocabularySize = m_vocabularySize->value();
    options.outputFolder = m_output->text().trimmed();
    options.sequenceLength = m_sequenceLength->value();
    options.maxPredictions = m_maxPredictions->value();
    options.dupeFactor = m_dupe->value();
    options.shards = m_shards->value();
    options.seed = m_seed->text().toULongLong();
    options.threads = m_threads->value();
    return options;
}

void PrepareForm::setOptions(const PrepareOptions& options)
{
    m_host->setCurrentIndex(std::max(0, m_host->findData(options.host)));
    m_dumps->setPlainText(options.dumps.join(QLatin1Char('\n')));
    m_vocabulary->setCurrentIndex(options.vocabulary == PrepareOptions::Vocabulary::File ? 0 : 1);
    m_vocabularyFile->setText(options.vocabularyFile);
    m_vocabularySize->setValue(options.vocabularySize);
    m_output->setText(options.outputFolder);
    m_sequenceLength->setValue(options.sequenceLength);
    m_maxPredictions->setValue(options.maxPredictions);
    m_dupe->setValue(options.dupeFactor);
    m_shards->setValue(options.shards);
    m_seed->setText(QString::number(options.seed));
    m_threads->setValue(options.threads);
    m_visited.clear();
    showProblems(false);
}

void PrepareForm::setBlocked(const QString& reason)
{
    m_blocked = reason;
    m_prepare->setEnabled(reason.isEmpty());
    m_prepare->setToolTip(reason);
}

void PrepareForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        emit closed();
    else
        QFrame::keyPressEvent(event);
}

void PrepareForm::onPhaseChosen(int phase)
{
    if (phase == kOwnValues)
        return;
    m_sequenceLength->setValue(kPhases[phase].sequenceLength);
    m_maxPredictions->setValue(kPhases[phase].maxPredictions);
}

void PrepareForm::onEdited(const char* member)
{
    m_visited[member] = true;
    const Phase now{m_sequenceLength->value(), m_maxPredictions->value()};
    int phase = kOwnValues;
    for (int i = 0; i < kOwnValues; ++i) {
        if (kPhases[i].sequenceLength == now.sequenceLength &&
            kPhases[i].maxPredictions == now.maxPredictions)
            phase = i;
    }
    m_phase->setCurrentIndex(phase);
    showProblems(false);
}

void PrepareForm::showProblems(bool all)
{
    const Diagnostics problems = validate(options());
    for (const auto& [member, row] : m_rows) {
        QString sentence;
        for (const Diagnostic& problem : problems) {
            if (problem.path == member && (all || m_visited[member])) {
                sentence = QString::fromStdString(problem.message + " — " + problem.hint);
                break;
            }
        }
        row->setError(sentence);
    }
}

void PrepareForm::chooseDumps()
{
    const QStringList files =
        QFileDialog::getOpenFileNames(this, tr("Dump files"), {}, tr("MediaWiki exports (*.xml *.xml.bz2)"));
    if (!files.isEmpty())
        m_dumps->setPlainText(files.join(QLatin1Char('\n')));
}

void PrepareForm::submit()
{
    showProblems(true);
    const Diagnostics problems = validate(options());
    if (problems.empty()) {
        emit prepareRequested(options());
        return;
    }
    if (const auto row = m_rows.find(problems.front().path); row != m_rows.end())
        row->second->setFocus();
}

} // namespace trainyard
