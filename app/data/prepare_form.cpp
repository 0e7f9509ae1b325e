#include "app/data/prepare_form.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/reader_field.h"
#include "app/data/shape_field.h"
#include "app/data/task_fields.h"
#include "app/hosts/model/host_entry.h"
#include "app/widgets/form_row.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {

constexpr int kUsualVocabulary = 30522; // BERT's
constexpr int kUsualTokenizer = 32'000;

/// Entries of the choice of a vocabulary.
enum VocabularySource : int { kPiecesFile, kTrainedPieces, kTokenizerFile, kTrainedTokens };

int vocabularySourceOf(const PrepareRequest& request)
{
    if (request.trainTokenizer > 0)
        return kTrainedTokens;
    if (!request.tokenizer.empty())
        return kTokenizerFile;
    return request.trainVocabulary > 0 ? kTrainedPieces : kPiecesFile;
}

using Paths = OptionFields::Paths;

QString textOf(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
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

QString textOfWeights(const std::vector<double>& weights)
{
    QStringList texts;
    for (const double weight : weights)
        texts << QString::number(weight, 'g', QLocale::FloatingPointShortest);
    return texts.join(QStringLiteral(", "));
}

/// What is no number becomes 0, which is refused.
std::vector<double> weightsIn(const QString& line)
{
    std::vector<double> weights;
    if (line.trimmed().isEmpty())
        return weights;
    for (const QString& text : line.split(QLatin1Char(',')))
        weights.push_back(text.trimmed().toDouble());
    return weights;
}

} // namespace

PrepareForm::PrepareForm(RunService& runs, QWidget* parent)
    : QFrame(parent)
    , m_runs(runs)
    , m_fields(new OptionFields(this))
    , m_host(new ChoiceBox)
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
    setRequest({});
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
        [this](const PrepareRequest& o) { m_host->setCurrentIndex(std::max(0, m_host->findData(o.host))); },
        [this](PrepareRequest& o) { o.host = host(); });
    connect(m_host, &QComboBox::activated, this, [this] { m_fields->touch("host"); });

    addTaskChoice(*m_fields, column);
    m_dumps = m_fields->addPaths(
        column, "dumps",
        {.label = tr("Files"), .help = {}, .text = tr("/data/enwiki-pages-articles.xml.bz2")},
        [](PrepareRequest& o) -> Paths& { return o.dumps; });
    addChooser("dumps", tr("Choose files"), [this] { chooseFiles(m_dumps, tr("Files to prepare")); });

    m_fields->addPath(column, "--out",
                      {.label = tr("Output folder"),
                       .help = tr("Must not exist yet; created when preparation finishes"),
                       .text = tr("/data/enwiki-128")},
                      &PrepareRequest::out);
    addChooser("--out", tr("Choose where to create the output folder"), [this] { chooseOutput(); });
}

void PrepareForm::addVocabulary(QVBoxLayout* column)
{
    m_vocabulary->addItems({tr("From a file"), tr("Train on the files"), tr("From a tokenizer.json"),
                            tr("Train a tokenizer.json on the files")});
    m_fields->addRow(
        column, "vocabulary", m_vocabulary,
        {tr("Vocabulary"),
         tr("Use that of an existing model, or train a new one: word pieces (BERT), or byte "
            "pair encoding (GPT, Llama, RoBERTa)")},
        [this](const PrepareRequest& o) { m_vocabulary->setCurrentIndex(vocabularySourceOf(o)); },
        [](PrepareRequest&) {}); // it decides which of the fields below counts
    connect(m_vocabulary, &QComboBox::currentIndexChanged, this, [this] { m_fields->touch("vocabulary"); });
    m_fields->addPath(column, "--vocab",
                      {.label = tr("Vocabulary file"),
                       .help = tr("One WordPiece per line, including [PAD], [UNK], [CLS], [SEP] and [MASK]"),
                       .text = tr("/data/vocab.txt")},
                      &PrepareRequest::vocabulary);
    addChooser("--vocab", tr("Choose the vocabulary file"),
               [this] { choosePath(ChosenKind::File, &PrepareRequest::vocabulary); });
    auto* size = new NumberBox(1, 10'000'000, tr("entries"));
    m_fields->addRow(
        column, "--train-vocab", size,
        {tr("Vocabulary size"), tr("Number of word pieces to train; default 30\u202f522, as in BERT")},
        [size](const PrepareRequest& o) {
            size->showValue(o.trainVocabulary > 0 ? int(o.trainVocabulary) : kUsualVocabulary);
        },
        [this, size](PrepareRequest& o) { o.trainVocabulary = isFrom(kTrainedPieces) ? size->value() : 0; });
    connect(size, &QSpinBox::valueChanged, this, [this] { m_fields->touch("--train-vocab"); });
    addTokenizer(column);
    m_fields->addOption(column, "--cased",
                        {.label = tr("Case"),
                         .help = tr("Must match the vocabulary; if off, “Paris” and “paris” are one word"),
                         .text = tr("Keep case and accents")});
}

void PrepareForm::addTokenizer(QVBoxLayout* column)
{
    m_fields->addPath(column, "--tokenizer",
                      {.label = tr("Tokenizer file"),
                       .help = tr("A tokenizer.json as Hugging Face saves it; its special tokens are used"),
                       .text = tr("/data/tokenizer.json")},
                      &PrepareRequest::tokenizer);
    addChooser("--tokenizer", tr("Choose the tokenizer.json"),
               [this] { choosePath(ChosenKind::File, &PrepareRequest::tokenizer); });
    auto* size = new NumberBox(1, 10'000'000, tr("tokens"));
    m_fields->addRow(
        column, "--train-tokenizer", size,
        {tr("Tokenizer size"), tr("Number of tokens to train, with all 256 bytes; usually 32\u202f000")},
        [size](const PrepareRequest& o) {
            size->showValue(o.trainTokenizer > 0 ? int(o.trainTokenizer) : kUsualTokenizer);
        },
        [this, size](PrepareRequest& o) { o.trainTokenizer = isFrom(kTrainedTokens) ? size->value() : 0; });
    connect(size, &QSpinBox::valueChanged, this, [this] { m_fields->touch("--train-tokenizer"); });
}

void PrepareForm::addRows(QVBoxLayout* column)
{
    addTaskColumns(*m_fields, column);
    m_heldOut = m_fields->addPaths(
        column, "--held-out",
        {.label = tr("Test files"),
         .help = tr("Their examples become test rows; without them a share of the others is held out"),
         .text = tr("/data/dev.tsv")},
        [](PrepareRequest& o) -> Paths& { return o.task.heldOut; });
    addChooser("--held-out", tr("Choose test files"), [this] { chooseFiles(m_heldOut, tr("Test files")); });
    m_fields->addRow(
        column, "--seq-len", m_shapes, {tr("Rows"), {}},
        [this](const PrepareRequest& o) { m_shapes->setShapes(o.shapes); },
        [this](PrepareRequest& o) { o.shapes = m_shapes->shapes(); });
    connect(m_shapes, &ShapeField::edited, this, [this] { m_fields->touch("--seq-len"); });
    m_fields->addOption(column, "--objective",
                        {.label = tr("Objective"),
                         .help = tr("MLM: predicts masked tokens; default BERT"),
                         .choices = {{"bert", tr("MLM + next sentence (BERT)")},
                                     {"mlm", tr("MLM (RoBERTa)")},
                                     {"gpt", tr("Next token (GPT)")}}});
    m_fields->addOption(
        column, "--test-fraction",
        {tr("Held out"), tr("Fraction of documents or examples for the test shards, 0 to 0.9; default 0.1")});
    addTaskDetails(*m_fields, column);
    m_fields->addOption(column, "--dupe", {.label = tr("Duplicates"), .help = {}, .unit = tr("passes")});
    m_fields->addOption(column, "--shards",
                        {tr("Training shards"),
                         tr("HDF5 files of equal size; preferably a multiple of the rank count; default 8"),
                         tr("files")});
    m_fields->addOption(column, "--threads",
                        {tr("Threads"), tr("On the host; 0 = one per core. Does not affect the result"),
                         tr("threads"), tr("Auto")});
    m_fields->addOption(
        column, "--memory",
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
        [this](const PrepareRequest& o) { m_readers->setReaders(o.readers); },
        [this](PrepareRequest& o) { o.readers = m_readers->readers(); });
    connect(m_readers, &ReaderField::edited, this, [this] { m_fields->touch("readers"); });
    addWeights(column);
    m_fields->addOption(
        column, "--format",
        {.label = tr("Format"),
         .help = tr("Usually detected from the first bytes. With one sentence per line, blank lines "
                    "separate documents"),
         .choices = {{"auto", tr("Detect for each file")},
                     {"mediawiki", tr("Wiki export (XML)")},
                     {"wikiextractor", tr("WikiExtractor output")},
                     {"articles", tr("One document per line")},
                     {"sentences", tr("One sentence per line")},
                     {"jsonl", tr("JSON lines")},
                     {"parquet", tr("Parquet")},
                     {"arrow", tr("Arrow")},
                     {"megatron", tr("Token ids of Megatron-LM")}}});
    m_fields->addOption(column, "--headings",
                        {.label = tr("Headings"),
                         .help = tr("Default: removed, as in the original corpus"),
                         .text = tr("Keep as sentences")});
    m_fields->addOption(column, "--lists",
                        {.label = tr("Lists"),
                         .help = tr("Default: removed, as in the original corpus"),
                         .text = tr("Keep as sentences")});
    m_fields->addOption(
        column, "--punkt",
        {.label = tr("Punkt parameters"),
         .help = tr("Folder of a trained sentence splitter (punkt_tab); empty = the built-in rules"),
         .text = tr("built-in rules")});
    addChooser("--punkt", tr("Choose the folder of Punkt parameters"),
               [this] { choosePath(ChosenKind::Folder, &PrepareRequest::punkt); });
    m_fields->addOption(
        column, "--profile",
        {.label = tr("Tokenizer"),
         .help = tr("The two differ in rare characters; default Hugging Face"),
         .choices = {{"hf", tr("Hugging Face tokenizers")}, {"google-py", tr("Google’s tokenization.py")}}});
}

void PrepareForm::addWeights(QVBoxLayout* column)
{
    auto* weights = new QLineEdit;
    weights->setPlaceholderText(tr("as many as they have"));
    m_fields->addRow(
        column, "--weights", weights,
        {tr("Weights"), tr("Share of each file or folder in the training rows, as in 7, 2, 1")},
        [weights](const PrepareRequest& o) { weights->setText(textOfWeights(o.weights)); },
        [weights](PrepareRequest& o) { o.weights = weightsIn(weights->text()); });
    connect(weights, &QLineEdit::textEdited, this, [this] { m_fields->touch("--weights"); });
}

void PrepareForm::addMoreOfRows(QVBoxLayout* column)
{
    m_fields->addOption(column, "--nsp",
                        {.label = tr("Segment B"),
                         .help = tr("Source of the second segment; default: half from another document"),
                         .choices = {{"random", tr("Half from another document")},
                                     {"swap", tr("Half swapped with A (ALBERT)")},
                                     {"none", tr("Always the text after A")}}});
    m_fields->addOption(column, "--whole-word",
                        {.label = tr("Masking"),
                         .help = tr("Default: word pieces are masked independently"),
                         .text = tr("Whole-word masking")});
    m_fields->addOption(
        column, "--test-shards",
        {tr("Test shards"), tr("Their documents appear in no training shard; default 2"), tr("files")});
    m_fields->addOption(column, "--name",
                        {tr("Shard prefix"), tr("Start of the shards' file names; default wikicorpus_en")});
    m_fields->addOption(
        column, "--seed",
        {tr("Seed"), tr("The same seed gives the same bytes with any number of threads; default 12345")});
    m_fields->addOption(column, "--provenance",
                        {.label = tr("Provenance"),
                         .help = tr("Adds columns naming the documents and sentences of each row"),
                         .text = tr("Record the source of each row")});
    m_fields->addFlag(column, "megatron",
                      {.label = tr("Also write"),
                       .help = tr("The sentences, for Megatron-LM and compatible tools"),
                       .text = tr("Megatron .bin and .idx")},
                      [](PrepareRequest& o) -> bool& { return o.extra.megatron; });
    m_fields->addFlag(column, "mds",
                      {.label = QString(),
                       .help = tr("The rows, for MosaicML Streaming"),
                       .text = tr("MosaicML streaming shards (MDS)")},
                      [](PrepareRequest& o) -> bool& { return o.extra.mds; });
}

/// A button that looks at the folders of the host to fill a field.
void PrepareForm::addChooser(const char* option, const QString& name, std::function<void()> choose)
{
    auto* button = new QToolButton;
    button->setIcon(symbolIcon(QStringLiteral("folder")));
    button->setAccessibleName(name);
    button->setToolTip(name);
    m_fields->row(option)->addBeside(button);
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
    onEdited(); // a single host reads alone
}

/// The chosen vocabulary is that of one file alone, or of one training alone.
PrepareRequest PrepareForm::request() const
{
    PrepareRequest request = m_fields->request();
    if (request.task.isOn())
        request = withoutCorpusOptions(request);
    if (!isFrom(kPiecesFile))
        request.vocabulary.clear();
    if (!isFrom(kTokenizerFile))
        request.tokenizer.clear();
    if (!hasWordPieces()) { // a tokenizer.json says so itself
        request.cased = false;
        request.profile = PrepareRequest().profile;
    }
    return request;
}

void PrepareForm::setRequest(const PrepareRequest& request)
{
    m_wasAsked = false;
    m_fields->show(request);
}

/// A file that is missing is that of the field that is shown.
Diagnostics PrepareForm::problemsOf(const PrepareRequest& request) const
{
    Diagnostics problems = validate(request);
    for (Diagnostic& problem : problems) {
        if (problem.path == "--vocab" && isFrom(kTokenizerFile))
            problem.path = "--tokenizer";
    }
    return problems;
}

bool PrepareForm::hasWordPieces() const
{
    return isFrom(kPiecesFile) || isFrom(kTrainedPieces);
}

/// Labelled examples are few: their model has a vocabulary already.
void PrepareForm::offerTraining(bool isOffered)
{
    const auto* items = qobject_cast<const QStandardItemModel*>(m_vocabulary->model());
    for (const auto& [trained, file] :
         {std::pair{kTrainedPieces, kPiecesFile}, std::pair{kTrainedTokens, kTokenizerFile}}) {
        items->item(trained)->setEnabled(isOffered);
        if (!isOffered && isFrom(trained))
            m_vocabulary->setCurrentIndex(file);
    }
}

bool PrepareForm::isFrom(int source) const
{
    return m_vocabulary->currentIndex() == source;
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
    offerTraining(!m_fields->request().task.isOn());
    const PrepareRequest now = request();
    const bool isCorpus = !now.task.isOn();
    const Objective objective = now.instances.objective;
    for (const char* option : {"--objective", "--dupe", "--threads", "--memory", "--format", "--headings",
                               "--lists", "--punkt", "--provenance", "--weights", "megatron", "mds"})
        m_fields->setVisible(option, isCorpus);
    m_fields->setVisible("readers", isCorpus && m_host->count() > 1);
    m_fields->setVisible("--vocab", isFrom(kPiecesFile));
    m_fields->setVisible("--train-vocab", isFrom(kTrainedPieces));
    m_fields->setVisible("--tokenizer", isFrom(kTokenizerFile));
    m_fields->setVisible("--train-tokenizer", isFrom(kTrainedTokens));
    m_fields->setVisible("--cased", hasWordPieces());
    m_fields->setVisible("--profile", hasWordPieces());
    m_fields->setVisible("--nsp", isCorpus && objective == Objective::Bert);
    m_fields->setVisible("--whole-word", isCorpus && objective != Objective::Tokens);
    m_fields->setVisible("--test-fraction", now.task.heldOut.empty());
    const bool isRunningText = isCorpus && objective == Objective::Tokens;
    m_shapes->showLengthOnly(!isCorpus || isRunningText); // nothing is masked
    showTaskRows(*m_fields, now.task);
    describePasses(isRunningText);
    m_fields->showProblems(problemsOf(now), m_wasAsked);
}

void PrepareForm::describePasses(bool isRunningText)
{
    if (isRunningText)
        m_fields->row("--seq-len")
            ->setHelp(tr("Tokens per row; documents follow each other without padding"));
    m_fields->row("--dupe")->setHelp(
        isRunningText ? tr("Passes over all documents, each in another order; default 5")
                      : tr("Passes over each document, each with different pairs and masks; default 5"));
}

void PrepareForm::chooseFiles(QPlainTextEdit* field, const QString& title)
{
    const QString before = field->toPlainText().section(QLatin1Char('\n'), 0, 0).trimmed();
    choosePaths(this, m_runs, {host(), title, before, ChosenKind::Files},
                [field](const QStringList& files) { field->setPlainText(files.join(QLatin1Char('\n'))); });
}

void PrepareForm::choosePath(ChosenKind kind, Path member)
{
    choosePaths(this, m_runs, {host(), tr("Choose"), textOf(request().*member), kind},
                [this, member](const QStringList& paths) { setPath(member, paths.value(0).toStdString()); });
}

/// The folder itself must not exist yet: what is chosen is where it is made.
void PrepareForm::chooseOutput()
{
    const auto before = request().out;
    const std::string name =
        before.has_filename() ? before.filename().string() : tr("data-set").toStdString();
    choosePaths(
        this, m_runs,
        {host(), tr("Where to create the output folder"), textOf(before.parent_path()), ChosenKind::Folder},
        [this, name](const QStringList& paths) {
            setPath(&PrepareRequest::out, std::filesystem::path(paths.value(0).toStdString()) / name);
        });
}

void PrepareForm::setPath(Path member, const std::filesystem::path& path)
{
    PrepareRequest now = m_fields->request();
    now.*member = path;
    m_fields->show(now);
}

void PrepareForm::submit()
{
    const PrepareRequest asked = request();
    m_wasAsked = true;
    const Diagnostics problems = problemsOf(asked);
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
