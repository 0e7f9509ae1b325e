#include "app/trial/try_page.h"

#include <algorithm>

#include <QCheckBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>

#include "app/hosts/model/host_list_model.h"
#include "app/runs/run_store.h"
#include "app/trial/answer_view.h"
#include "app/trial/model_field.h"
#include "app/trial/sampling_form.h"
#include "app/widgets/roles.h"
#include "app/workspace/page_frame.h"

namespace trainyard {

namespace {

constexpr int kFormWidth = 360;
constexpr int kTextLines = 5;
constexpr int kPairLines = 4;
constexpr int kHelpLines = 3;

/// What one of the models may do, both models have the settings for.
SamplingForm::Uses usesOf(const QList<TrialModel>& models)
{
    SamplingForm::Uses uses;
    for (const TrialModel& model : models) {
        uses.continues = uses.continues || model.mayContinue();
        uses.fillsIn = uses.fillsIn || model.mayFillIn();
        uses.judges = uses.judges || model.mayJudge();
        uses.answers = uses.answers || model.mayAnswer();
    }
    return uses;
}

QString exampleFor(const SamplingForm::Uses& uses)
{
    if (uses.fillsIn)
        return uses.continues ? TryPage::tr("The first train, or: The train leaves the [MASK].")
                              : TryPage::tr("The train leaves the [MASK].");
    if (uses.answers)
        return TryPage::tr("Who built the line?");
    return uses.judges ? TryPage::tr("The trains were late again.") : TryPage::tr("The first train");
}

QPlainTextEdit* makeTextField(const QString& name, int lines)
{
    auto* field = new QPlainTextEdit;
    field->setAccessibleName(name);
    field->setTabChangesFocus(true);
    field->setFixedHeight(lines * field->fontMetrics().lineSpacing() + 2 * metrics::kGap + 4);
    return field;
}

} // namespace

TryPage::TryPage(const Parts& parts, QWidget* parent)
    : Page(tr("Try"), QStringLiteral("try"), parent)
    , m_store(parts.store)
    , m_hosts(parts.hosts)
    , m_first(makeSide(parts, {}))
    , m_second(makeSide(parts, QStringLiteral(" 2")))
    , m_compares(new QCheckBox(tr("Compare with a second model")))
    , m_sampling(new SamplingForm)
    , m_help(makeParagraph({}, "help"))
    , m_textHeading(makeLabel({}, "heading"))
    , m_text(makeTextField(tr("Text"), kTextLines))
    , m_pairHeading(makeLabel({}, "heading"))
    , m_pair(makeTextField(tr("Second text"), kPairLines))
    , m_pairPart(makePair())
    , m_note(makeParagraph({}, "help"))
    , m_mask(makeButton(tr("Insert [MASK]")))
    , m_try(makeButton(tr("&Try"), "primary"))
    , m_cancel(makeButton(tr("Cancel")))
    , m_escape(new QShortcut(Qt::Key_Escape, this, this, &TryPage::cancel, Qt::WidgetWithChildrenShortcut))
    , m_frame(new PageFrame(title()))
{
    m_frame->setSubtitle(tr("See what a model has learned; it answers on the host that has it"));
    auto* right = columnLayout();
    right->addWidget(makeText());
    right->addWidget(makeAnswers(), 1);
    auto* row = rowLayout(nullptr, metrics::kPanelPadding);
    row->addWidget(makeForm());
    row->addLayout(right, 1);
    m_frame->content()->addLayout(row, 1);
    auto* column = columnLayout(this, -1);
    column->addWidget(m_frame);

    connect(m_compares, &QCheckBox::toggled, this, &TryPage::compare);
    for (QPlainTextEdit* field : {m_text, m_pair})
        connect(field, &QPlainTextEdit::textChanged, this, &TryPage::showUses);
    connect(m_mask, &QPushButton::clicked, this, &TryPage::insertMask);
    connect(m_try, &QPushButton::clicked, this, &TryPage::tryText);
    connect(m_cancel, &QPushButton::clicked, this, &TryPage::cancel);
    connect(m_sampling, &SamplingForm::helpWanted, m_help, &QLabel::setText);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter})
        new QShortcut(QKeySequence(Qt::CTRL | key), this, this, &TryPage::tryText,
                      Qt::WidgetWithChildrenShortcut);
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        connect(&m_store.list(), signal, this, &TryPage::showLists);
        connect(&m_hosts, signal, this, &TryPage::showLists);
    }
    showLists();
    compare(false);
}

TryPage::Side TryPage::makeSide(const Parts& parts, const QString& number)
{
    const Side side{new ModelField(parts.store.hosts(), parts.runs, number),
                    new AnswerView(tr("Answer") + number), new Trial(parts.runs, this)};
    connect(side.model, &ModelField::changed, this, &TryPage::showUses);
    connect(side.model, &ModelField::helpWanted, this,
            [this](const QString& help) { m_help->setText(help); });
    connect(side.trial, &Trial::changed, this, [this, side] { onTrialChanged(side); });
    return side;
}

QWidget* TryPage::makeForm()
{
    m_compares->setObjectName(QStringLiteral("compares"));
    m_compares->setToolTip(tr("The same text and settings with another model, checkpoint or folder"));
    m_help->setMinimumHeight(kHelpLines * m_help->fontMetrics().lineSpacing());
    m_help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* content = new QWidget;
    setRole(content, "form");
    auto* rows = columnLayout(content, metrics::kGap, {0, 0, metrics::kGap, 0});
    rows->addWidget(makeLabel(tr("Model"), "heading"));
    rows->addWidget(m_first.model);
    rows->addWidget(m_compares, 0, Qt::AlignLeft);
    rows->addWidget(m_second.model);
    rows->addWidget(makeSeparator());
    rows->addWidget(m_sampling);
    rows->addStretch(1);
    QFrame* panel = makePanel();
    panel->setFixedWidth(kFormWidth);
    auto* column = columnLayout(panel, metrics::kGap, metrics::kLowPanelMargins);
    column->addWidget(verticalScroll(content), 1);
    column->addWidget(makeSeparator());
    column->addWidget(m_help);
    return panel;
}

QWidget* TryPage::makeText()
{
    m_text->setObjectName(QStringLiteral("text"));
    m_mask->setToolTip(tr("Puts a mask where the cursor is"));
    m_try->setAccessibleName(tr("Try this text")); // the page is called Try as well
    m_cancel->setToolTip(tr("Stops, and keeps the answer so far (Esc)"));
    QFrame* panel = makePanel();
    auto* head = rowLayout();
    head->addWidget(m_textHeading);
    head->addStretch(1);
    for (QPushButton* button : {m_mask, m_cancel, m_try})
        head->addWidget(button);
    auto* column = columnLayout(panel, metrics::kGap, metrics::kLowPanelMargins);
    column->addLayout(head);
    column->addWidget(m_text);
    column->addWidget(m_pairPart);
    column->addWidget(m_note);
    return panel;
}

QWidget* TryPage::makePair()
{
    m_pair->setObjectName(QStringLiteral("pair"));
    auto* part = new QWidget;
    auto* column = columnLayout(part);
    column->addWidget(m_pairHeading);
    column->addWidget(m_pair);
    return part;
}

QWidget* TryPage::makeAnswers()
{
    auto* answers = new QWidget;
    auto* row = rowLayout(answers);
    for (const Side& side : {m_first, m_second})
        row->addWidget(side.answer, 1);
    return answers;
}

QList<KeyHint> TryPage::keyHints() const
{
    return {{tr("Ctrl+Enter"), tr("Try the text")}, {tr("Esc"), tr("Cancel, and keep the answer so far")}};
}

void TryPage::activate()
{
    refresh();
    m_text->setFocus();
}

void TryPage::refresh()
{
    m_store.scan();
    for (const Side& side : sides())
        side.model->refresh();
}

void TryPage::setModel(const QString& runId, std::optional<qint64> step)
{
    m_first.model->chooseRun(runId, step);
}

QList<TryPage::Side> TryPage::sides() const
{
    return m_compares->isChecked() ? QList<Side>{m_first, m_second} : QList<Side>{m_first};
}

bool TryPage::isBusy() const
{
    return m_first.trial->status().isBusy() || m_second.trial->status().isBusy();
}

void TryPage::compare(bool compared)
{
    m_second.model->setVisible(compared);
    m_second.answer->setVisible(compared);
    if (compared)
        m_second.model->refresh();
    showUses();
}

void TryPage::showLists()
{
    for (const Side& side : {m_first, m_second}) {
        side.model->setRuns(m_store.history().runs());
        side.model->setHosts(m_hosts.names());
    }
}

TrialText TryPage::text() const
{
    return {m_text->toPlainText(), m_pair->toPlainText()};
}

QString TryPage::whyNot() const
{
    for (const Side& side : sides()) {
        const QString why = whyNotTried(side.model->model(), text());
        if (!why.isEmpty())
            return why;
    }
    return {};
}

QList<TrialModel> TryPage::models() const
{
    QList<TrialModel> models;
    for (const Side& side : sides())
        models.append(side.model->model());
    return models;
}

void TryPage::showUses()
{
    const SamplingForm::Uses uses = usesOf(models());
    m_sampling->setUses(uses);
    m_mask->setEnabled(uses.fillsIn);
    m_text->setPlaceholderText(exampleFor(uses));
    showTexts();
    const QString why = whyNot();
    m_note->setText(why);
    m_note->setVisible(!why.isEmpty() && !text().text.isEmpty());
    m_try->setToolTip(why.isEmpty() ? tr("Gives the text to the model (Ctrl+Enter)") : why);
    showBusy(why.isEmpty());
}

/// Texts are called what they are to all chosen models.
void TryPage::showTexts()
{
    const QList<TrialModel> tried = models();
    const bool allAnswer = std::ranges::all_of(tried, &TrialModel::answers);
    const bool someMayAnswer = std::ranges::any_of(tried, &TrialModel::mayAnswer);
    m_textHeading->setText(allAnswer ? tr("Question") : tr("Text"));
    m_pairHeading->setText(allAnswer       ? tr("Text with the answer")
                           : someMayAnswer ? tr("Second sentence, or the text with the answer")
                                           : tr("Second sentence"));
    m_pair->setPlaceholderText(someMayAnswer ? tr("The line was built by Stephenson.")
                                             : tr("Sentence-pair models only"));
    m_pairPart->setVisible(std::ranges::any_of(tried, &TrialModel::mayTakePair));
}

/// A button that becomes disabled gives the focus to the one that becomes enabled.
void TryPage::showBusy(bool canTry)
{
    const bool busy = isBusy();
    const QWidget* focused = focusWidget();
    m_escape->setEnabled(busy);
    m_compares->setEnabled(!busy);
    (busy ? m_cancel : m_try)->setEnabled(busy || canTry);
    if (focused == m_try && busy)
        m_cancel->setFocus();
    if (focused == m_cancel && !busy)
        m_try->setFocus();
    (busy ? m_try : m_cancel)->setEnabled(false);
}

void TryPage::tryText()
{
    if (!m_try->isEnabled())
        return;
    for (const Side& side : sides())
        side.trial->start(side.model->model(), text(), m_sampling->settings());
}

void TryPage::cancel()
{
    for (const Side& side : {m_first, m_second})
        side.trial->cancel();
}

void TryPage::insertMask()
{
    m_text->insertPlainText(QStringLiteral("[MASK]"));
    m_text->setFocus();
}

void TryPage::onTrialChanged(const Side& side)
{
    side.answer->setStatus(side.trial->status());
    showUses();
    emit statusTextChanged(isBusy() ? tr("trying %1").arg(side.trial->status().model) : QString());
}

} // namespace trainyard
