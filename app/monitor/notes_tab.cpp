#include "app/monitor/notes_tab.h"

#include <QCompleter>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStringListModel>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/runs/run_database.h"
#include "app/runs/run_edits.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kSaveMs = 600;

QStringList tagsFrom(const QString& text)
{
    QStringList tags;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString tag = part.simplified();
        if (!tag.isEmpty() && !tags.contains(tag))
            tags.append(tag);
    }
    return tags;
}

} // namespace

NotesTab::NotesTab(RunEdits& edits, QWidget* parent)
    : QWidget(parent)
    , m_edits(edits)
    , m_tags(new QLineEdit(this))
    , m_knownTags(new QStringListModel(this))
    , m_notes(new QPlainTextEdit(this))
    , m_problem(makeParagraph({}, "error", this))
{
    m_tags->setPlaceholderText(tr("baseline, paper"));
    m_tags->setAccessibleName(tr("Tags"));
    m_tags->setToolTip(tr("Comma-separated; search for one with tag:paper"));
    auto* completer = new QCompleter(m_knownTags, this);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_tags->setCompleter(completer);
    m_notes->setPlaceholderText(tr("What you tried, and the result"));
    m_notes->document()->setDocumentMargin(metrics::kGap);
    m_notes->setAccessibleName(tr("Notes"));
    m_notes->setToolTip(tr("Saved in the history as you type; the search covers their words"));
    m_notes->setTabChangesFocus(true);
    m_problem->hide();

    auto* form = new QFormLayout(this);
    form->setContentsMargins(metrics::kTabMargins);
    form->setSpacing(metrics::kGap);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(makeLabel(tr("Tags"), "muted"), m_tags);
    form->addRow(makeLabel(tr("Notes"), "muted"), m_notes);
    form->addRow(m_problem);

    m_due.setSingleShot(true);
    m_due.setInterval(kSaveMs);
    connect(&m_due, &QTimer::timeout, this, &NotesTab::save);
    connect(m_tags, &QLineEdit::textEdited, this, &NotesTab::completeTags);
    connect(m_tags, &QLineEdit::textChanged, &m_due, qOverload<>(&QTimer::start));
    connect(m_notes, &QPlainTextEdit::textChanged, &m_due, qOverload<>(&QTimer::start));
    connect(&edits.history(), &RunDatabase::runChanged, this, [this](int row) {
        if (m_edits.history().runs()[row].id == m_runId && !m_due.isActive() && !m_saving)
            read(); // undone, or changed by another window
    });
    connect(&edits, &RunEdits::failed, this, [this](const Error& error) {
        m_problem->setText(displayError(error));
        m_problem->show();
    });
}

NotesTab::~NotesTab()
{
    if (m_due.isActive())
        save();
}

void NotesTab::setRun(const QString& runId)
{
    if (runId == m_runId)
        return;
    if (m_due.isActive())
        save();
    m_runId = runId;
    m_problem->hide();
    read();
}

void NotesTab::read()
{
    const RunEntry entry = m_edits.history().find(m_runId).value_or(RunEntry{});
    if (tagsFrom(m_tags->text()) != entry.tags)
        m_tags->setText(entry.tags.join(QStringLiteral(", ")));
    if (m_notes->toPlainText() != entry.notes)
        m_notes->setPlainText(entry.notes);
    m_due.stop();
}

/// Completes the tag being typed from the tags of all runs.
void NotesTab::completeTags()
{
    const qsizetype begun = m_tags->text().lastIndexOf(QLatin1Char(',')) + 1;
    const QString before = begun == 0 ? QString() : m_tags->text().left(begun) + QLatin1Char(' ');
    const QStringList given = tagsFrom(m_tags->text().left(begun));
    QStringList offered;
    for (const QString& tag : m_edits.history().tags()) {
        if (!given.contains(tag))
            offered.append(before + tag);
    }
    m_knownTags->setStringList(offered);
}

void NotesTab::save()
{
    m_due.stop();
    m_problem->hide();
    m_saving = true;
    m_edits.setTags(m_runId, tagsFrom(m_tags->text()));
    m_edits.setNotes(m_runId, m_notes->toPlainText());
    m_saving = false;
}

} // namespace trainyard
