#include "app/data/prepare_form.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/reader_field.h"
#include "app/data/shape_field.h"
#include "app/hosts/model/host_entry.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/form_row.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {

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

/// Two columns side by side; gives their layouts.
std::pair<QVBoxLayout*, QVBoxLayout*> makeColumns(QWidget* parent)
{
    auto* row = new QHBoxLayout(parent);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(3 * metrics::kGap);
    const auto add = [row] {
        auto* column = new QVBoxLayout;
        column->setSpacing(metrics::kGap);
        row->addLayout(column, 1);
        return column;
    };
    auto* left = add();
    return {left, add()};
}

} // namespace

PrepareForm::PrepareForm(RunService& runs, QWidget* parent)
    : QFrame(parent)
    , m_runs(runs)
    , m_fields(new OptionFields(this))
    , m_host(new ChoiceBox)
    , m_dumps(new QPlainTextEdit)
    , m_vocabulary(new ChoiceBox)
    , m_shapes(new ShapeField)
    , m_readers(new ReaderField)
    , m_more(makeButton(tr("More options"), "link"))
    , m_moreOptions(new QWidget)
    , m_prepare(makeButton(tr("&Prepare"), "primary"))
{
    setRole(this, "panel");
    auto* leave = makeButton(tr("Close"));
    auto* header = new QHBoxLayout;
    header->addWidget(makeLabel(tr("Prepare a data set"), "heading"));
    header->addStretch(1);
    header->addWidget(leave);
    header->addWidget(m_prepare);

    auto* scroll = new QScrollArea;
    scroll->setWidget(makeContent());
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap);
    column->setSpacing(metrics::kPanelPadding);
    column->addLayout(header);
    column->addWidget(scroll, 1);

    connect(leave, &QPushButton::clicked, this, &PrepareForm::closed);
    connect(m_prepare, &QPushButton::clicked, this, &PrepareForm::submit);
    connect(m_more, &QPushButton::clicked, this, [this] { showMore(!m_moreOptions->isVisibleTo(this)); });
    connect(m_fields, &OptionFields::edited, this, &PrepareForm::onEdited);
    setHosts({thisMachine()});
    setOptions({});
    showMore(false);
}

QWidget* PrepareForm::makeContent()
{
    auto* usual = new QWidget;
    const auto [source, rows] = makeColumns(usual);
    addCorpus(source);
    addVocabulary(source);
    addRows(rows);
    const auto [moreSource, moreRows] = makeColumns(m_moreOptions);
    addMoreOfCorpus(moreSource);
    addMoreOfRows(moreRows);
    for (QVBoxLayout* each : {source, rows, moreSource, moreRows})
        each->addStretch(1);

    auto* content = new QWidget;
    setRole(content, "form");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, metrics::kGap, 0);
    column->setSpacing(metrics::kGap);
    column->addWidget(usual);
    column->addWidget(makeSeparator());
    column->addWidget(m_more, 0, Qt::AlignLeft);
    column->addWidget(m_moreOptions);
    column->addStretch(1);
    return content;
}

void PrepareForm::addCorpus(QVBoxLayout* column)
{
    m_fields->addRow(
        column, "host", m_host,
        {tr("Host"), tr("Runs on and stores the result on this host; paths refer to it")},
        [this](const PrepareOptions& o) { m_host->setCurrentIndex(std::max(0, m_host->findData(o.host))); },
        [this](PrepareOptions& o) { o.host = host(); });
    connect(m_host, &QComboBox::activated, this, [this] { m_fields->touch("host"); });

    m_dumps->setTabChangesFocus(true);
    m_dumps->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_dumps->setPlaceholderText(tr("/data/enwiki-pages-articles.xml.bz2"));
    m_dumps->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_dumps->setFixedHeight(kDumpLines * m_dumps->fontMetrics().lineSpacing() + 2 * metrics::kGap + 4);
    m_fields->addRow(
        column, "dumps", m_dumps,
        {tr("Files"), tr("Wiki dumps (.xml, .xml.bz2; all parts, in order) or plain text, one per line")},
        [this](const PrepareOptions& o) { m_dumps->setPlainText(o.dumps.join(QLatin1Char('\n'))); },
        [this](PrepareOptions& o) { o.dumps = nonEmptyLines(m_dumps->toPlainText()); });
    connect(m_dumps, &QPlainTextEdit::textChanged, this, [this] { m_fields->touch("dumps"); });
    addChooser("dumps", tr("Choose files"), [this] { chooseDumps(); });

    m_fields->addText(column, "outputFolder", &PrepareOptions::outputFolder, tr("/data/enwiki-128"),
                      {tr("Output folder"), tr("Must not exist yet; created when preparation finishes")});
    addChooser("outputFolder", tr("Choose where to create the output folder"), [this] { chooseOutput(); });
}

void PrepareForm::addVocabulary(QVBoxLayout* column)
{
    m_vocabulary->addItems({tr("From a file"), tr("Train on the files")});
    m_fields->addRow(
        column, "vocabulary", m_vocabulary,
        {tr("Vocabulary"), tr("Use the word pieces of an existing model, or train new ones")},
        [this](const PrepareOptions& o) {
            m_vocabulary->setCurrentIndex(o.vocabulary == PrepareOptions::Vocabulary::File ? 0 : 1);
        },
        [this](PrepareOptions& o) {
            o.vocabulary = m_vocabulary->currentIndex() == 0 ? PrepareOptions::Vocabulary::File
                                                             : PrepareOptions::Vocabulary::Train;
        });
    connect(m_vocabulary, &QComboBox::currentIndexChanged, this, [this] { m_fields->touch("vocabulary"); });
    m_fields->addText(column, "vocabularyFile", &PrepareOptions::vocabularyFile, tr("/data/vocab.txt"),
                      {tr("Vocabulary file"),
                       tr("One WordPiece per line, including [PAD], [UNK], [CLS], [SEP] and [MASK]")});
    addChooser("vocabularyFile", tr("Choose the vocabulary file"),
               [this] { choosePath(ChosenKind::File, &PrepareOptions::vocabularyFile); });
    m_fields->addNumber(column, "vocabularySize", &PrepareOptions::vocabularySize, {1, 10'000'000},
                        {tr("Vocabulary size"),
                         tr("Number of word pieces to train; default 30\u202f522, as in BERT"),
                         tr("entries")});
    m_fields->addFlag(
        column, "cased", &PrepareOptions::cased, tr("Keep case and accents"),
        {tr("Case"), tr("Must match the vocabulary; if off, “Paris” and “paris” are one word")});
}

void PrepareForm::addRows(QVBoxLayout* column)
{
    m_fields->addRow(
        column, "shapes", m_shapes,
        {tr("Rows"), tr("Row length, including padding; BERT trains on short rows first, then on long ones. "
                        "Both phases create two data sets, in folders seq128 and seq512")},
        [this](const PrepareOptions& o) { m_shapes->setShapes(o.shapes); },
        [this](PrepareOptions& o) { o.shapes = m_shapes->shapes(); });
    connect(m_shapes, &ShapeField::edited, this, [this] { m_fields->touch("shapes"); });
    m_fields->addChoice(column, "objective", &PrepareOptions::objective,
                        {{"bert", tr("Masked LM + next sentence (BERT)")},
                         {"mlm", tr("Masked LM (RoBERTa)")},
                         {"gpt", tr("Next token (GPT)")}},
                        {tr("Objective"), tr("Default: masked LM and next sentence")});
    m_fields->addNumber(column, "dupeFactor", &PrepareOptions::dupeFactor, {1, 1000},
                        {tr("Duplicates"),
                         tr("Passes over each document, each with different pairs and masks; default 5"),
                         tr("passes")});
    m_fields->addNumber(column, "shards", &PrepareOptions::shards, {1, 65536},
                        {tr("Training shards"),
                         tr("HDF5 files of equal size; preferably a multiple of the rank count; default 8"),
                         tr("files")});
    m_fields->addNumber(
        column, "threads", &PrepareOptions::threads, {0, 1024},
        {tr("Threads"), tr("On the host; 0 = one per core. Does not affect the result"), tr("threads")});
    m_fields->addMebibytes(
        column, "memory", &PrepareOptions::memory,
        {tr("Memory"),
         tr("Memory limit of the process, whatever the corpus size; default 1\u202f024\u00a0MiB")});
}

void PrepareForm::addMoreOfCorpus(QVBoxLayout* column)
{
    m_fields->addRow(
        column, "readers", m_readers,
        {tr("Read by"),
         tr("Splits the files among these hosts, in order; a prefix as in gpu-03:/data/part2.xml picks the "
            "host. If none is ticked, the host above reads everything")},
        [this](const PrepareOptions& o) { m_readers->setReaders(o.readers); },
        [this](PrepareOptions& o) { o.readers = m_readers->readers(); });
    connect(m_readers, &ReaderField::edited, this, [this] { m_fields->touch("readers"); });
    m_fields->addChoice(column, "format", &PrepareOptions::format,
                        {{"auto", tr("Detect for each file")},
                         {"mediawiki", tr("Wiki export (XML)")},
                         {"wikiextractor", tr("WikiExtractor output")},
                         {"articles", tr("One document per line")},
                         {"sentences", tr("One sentence per line, blank line between documents")},
                         {"jsonl", tr("JSON lines with a “text” field")}},
                        {tr("Format"), tr("Input format; usually detected from the first bytes")});
    m_fields->addFlag(column, "keepHeadings", &PrepareOptions::keepHeadings, tr("Keep as sentences"),
                      {tr("Headings"), tr("Default: removed, as in the original corpus")});
    m_fields->addFlag(column, "keepLists", &PrepareOptions::keepLists, tr("Keep as sentences"),
                      {tr("Lists"), tr("Default: removed, as in the original corpus")});
    m_fields->addText(column, "punktFolder", &PrepareOptions::punktFolder, tr("built-in rules"),
                      {tr("Punkt parameters"),
                       tr("Folder of a trained sentence splitter (punkt_tab); empty = the built-in rules")});
    addChooser("punktFolder", tr("Choose the folder of Punkt parameters"),
               [this] { choosePath(ChosenKind::Folder, &PrepareOptions::punktFolder); });
    m_fields->addChoice(
        column, "profile", &PrepareOptions::profile,
        {{"hf", tr("Hugging Face tokenizers")}, {"google-py", tr("Google’s tokenization.py")}},
        {tr("Tokenizer"), tr("They differ in rare characters; default Hugging Face")});
}

void PrepareForm::addMoreOfRows(QVBoxLayout* column)
{
    m_fields->addChoice(column, "nextSentence", &PrepareOptions::nextSentence,
                        {{"random", tr("From another document, half the time")},
                         {"swap", tr("Swapped with A, half the time (ALBERT)")},
                         {"none", tr("Always the text after A")}},
                        {tr("Segment B"), tr("Source of the second segment; default: another document")});
    m_fields->addFlag(column, "wholeWords", &PrepareOptions::wholeWords, tr("Whole-word masking"),
                      {tr("Masking"), tr("Default: word pieces are masked independently")});
    m_fields->addNumber(
        column, "testShards", &PrepareOptions::testShards, {1, 65536},
        {tr("Test shards"), tr("Their documents appear in no training shard; default 2"), tr("files")});
    m_fields->addShare(
        column, "testFraction", &PrepareOptions::testFraction,
        {tr("Held out"), tr("Fraction of documents for the test shards, 0 to 0.9; default 0.1")});
    m_fields->addText(column, "shardName", &PrepareOptions::shardName, {},
                      {tr("Shard prefix"), tr("Start of the shards' file names; default wikicorpus_en")});
    m_fields->addSeed(
        column, "seed", &PrepareOptions::seed,
        {tr("Seed"), tr("The same seed gives the same bytes with any number of threads; default 12345")});
    m_fields->addFlag(column, "provenance", &PrepareOptions::provenance, tr("Record the source of each row"),
                      {tr("Provenance"), tr("Adds columns naming the documents and sentences of each row")});
    m_fields->addFlag(column, "megatron", &PrepareOptions::megatron, tr("Megatron .bin and .idx"),
                      {tr("Also write"), tr("The sentences, for Megatron-LM and compatible tools")});
    m_fields->addFlag(column, "mds", &PrepareOptions::mds, tr("MosaicML streaming shards (MDS)"),
                      {QString(), tr("The rows, for MosaicML Streaming")});
}

/// A button that looks at the folders of the host to fill a field.
void PrepareForm::addChooser(const char* member, const QString& name, std::function<void()> choose)
{
    auto* button = new QToolButton;
    button->setIcon(symbolIcon(QStringLiteral("folder")));
    button->setAccessibleName(name);
    button->setToolTip(name);
    m_fields->row(member)->addBeside(button);
    connect(button, &QToolButton::clicked, this, std::move(choose));
}

QString PrepareForm::host() const
{
    return m_host->currentData().toString();
}

void PrepareForm::setHosts(const QStringList& hosts)
{
    const QVariant current = m_host->currentData();
    m_host->clear();
    for (const QString& host : hosts)
        m_host->addItem(host == thisMachine() ? tr("This machine") : oneLine(host), host);
    m_host->setCurrentIndex(std::max(0, m_host->findData(current)));
    m_readers->setHosts(hosts);
    m_fields->row("readers")->setVisible(hosts.size() > 1);
}

PrepareOptions PrepareForm::options() const
{
    return m_fields->options();
}

void PrepareForm::setOptions(const PrepareOptions& options)
{
    m_wasAsked = false;
    m_fields->show(options);
}

void PrepareForm::setBlocked(const QString& reason)
{
    m_prepare->setEnabled(reason.isEmpty());
    m_prepare->setToolTip(toolTipOf(reason));
}

void PrepareForm::showMore(bool shown)
{
    m_moreOptions->setVisible(shown);
    m_more->setText(shown ? tr("▾ Fewer options") : tr("▸ More options"));
}

void PrepareForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        emit closed();
    else
        QFrame::keyPressEvent(event);
}

/// Fields that mean nothing with the present choices are not shown.
void PrepareForm::onEdited()
{
    const PrepareOptions now = options();
    const bool fromFile = now.vocabulary == PrepareOptions::Vocabulary::File;
    m_fields->row("vocabularyFile")->setVisible(fromFile);
    m_fields->row("vocabularySize")->setVisible(!fromFile);
    m_fields->row("nextSentence")->setVisible(now.objective == QLatin1String("bert"));
    m_fields->row("wholeWords")->setVisible(now.objective != QLatin1String("gpt"));
    m_fields->showProblems(validate(now), m_wasAsked);
}

void PrepareForm::chooseDumps()
{
    const QString before = options().dumps.value(0);
    choosePaths(this, m_runs, {host(), tr("Files to prepare"), before, ChosenKind::Files},
                [this](const QStringList& files) { m_dumps->setPlainText(files.join(QLatin1Char('\n'))); });
}

void PrepareForm::choosePath(ChosenKind kind, QString PrepareOptions::*member)
{
    choosePaths(this, m_runs, {host(), tr("Choose"), options().*member, kind},
                [this, member](const QStringList& paths) { setPath(member, paths.value(0)); });
}

/// The folder itself must not exist yet: what is chosen is where it is made.
void PrepareForm::chooseOutput()
{
    const QFileInfo before(options().outputFolder);
    const QString name = before.fileName().isEmpty() ? tr("data-set") : before.fileName();
    choosePaths(this, m_runs,
                {host(), tr("Where to create the output folder"), before.path(), ChosenKind::Folder},
                [this, name](const QStringList& paths) {
                    setPath(&PrepareOptions::outputFolder, QDir(paths.value(0)).filePath(name));
                });
}

void PrepareForm::setPath(QString PrepareOptions::*member, const QString& path)
{
    PrepareOptions now = options();
    now.*member = path;
    m_fields->show(now);
}

void PrepareForm::submit()
{
    const PrepareOptions asked = options();
    m_wasAsked = true;
    const Diagnostics problems = validate(asked);
    m_fields->showProblems(problems, true);
    if (problems.empty()) {
        emit prepareRequested(asked);
        return;
    }
    if (FormRow* row = m_fields->row(problems.front().path)) {
        if (m_moreOptions->isAncestorOf(row))
            showMore(true);
        row->setFocus();
    }
}

} // namespace trainyard
