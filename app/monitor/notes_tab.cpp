#include "app/monitor/notes_tab.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

#include "app/models/run_library.h"
#include "app/models/theme.h"
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

NotesTab::NotesTab(RunLibrary& library, QWidget* parent)
    : QWidget(parent)
    , m_library(library)
    , m_tags(new QLineEdit(this))
    , m_notes(new QPlainTextEdit(this))
    , m_problem(makeLabel({}, "error", this))
{
    m_tags->setPlaceholderText(tr("baseline, paper"));
    m_tags->setAccessibleName(tr("Tags"));
    m_tags->setToolTip(tr("Separated by commas; the search finds them"));
    m_notes->setPlaceholderText(tr("What you tried and what came out of it"));
    m_notes->document()->setDocumentMargin(metrics::kGap);
    m_notes->setAccessibleName(tr("Notes"));
    m_problem->setWordWrap(true);
    m_problem->hide();

    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, metrics::kGap, 0, 0);
    form->setSpacing(metrics::kGap);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(makeLabel(tr("Tags"), "muted"), m_tags);
    form->addRow(makeLabel(tr("Notes"), "muted"), m_notes);
    form->addRow(m_problem);

    m_due.setSingleShot(true);
    m_due.setInterval(kSaveMs);
    connect(&m_due, &QTimer::timeout, this, &NotesTab::save);
    connect(m_tags, &QLineEdit::textEdited, &m_due, qOverload<>(&QTimer::start));
    connect(m_notes, &QPlainTextEdit::textChanged, &m_due, qOverload<>(&QTimer::start));
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
    const RunEntry entry = m_library.find(runId).value_or(RunEntry{});
    m_tags->setText(entry.tags.join(QStringLiteral(", ")));
    m_notes->setPlainText(entry.notes);
    m_due.stop();
    m_problem->hide();
}

void NotesTab::save()
{
    m_due.stop();
    Status saved = m_library.setTags(m_runId, tagsFrom(m_tags->text()));
    if (saved.ok())
        saved = m_library.setNotes(m_runId, m_notes->toPlainText());
    m_problem->setVisible(!saved.ok());
    if (!saved.ok())
        m_problem->setText(QString::fromStdString(saved.error().text()));
}

} // namespace trainyard
