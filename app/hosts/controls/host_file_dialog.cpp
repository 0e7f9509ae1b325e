#include "app/hosts/controls/host_file_dialog.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kNameRole = Qt::UserRole;       ///< as the host spells it
constexpr int kFolderRole = Qt::UserRole + 1; ///< bool

QListWidgetItem* itemFor(const HostFolder::Entry& entry)
{
    const QString name = oneLine(entry.name);
    auto* item = new QListWidgetItem(
        entry.folder ? name + QLatin1Char('/')
                     : HostFileDialog::tr("%1   %2").arg(name, displayBytes(double(entry.size))));
    item->setData(kNameRole, entry.name);
    item->setData(kFolderRole, entry.folder);
    return item;
}

} // namespace

HostFileDialog::HostFileDialog(RunService& runs, const PathQuestion& question, QWidget* parent)
    : QDialog(parent)
    , m_runs(runs)
    , m_question(question)
    , m_path(new QLineEdit)
    , m_list(new QListWidget)
    , m_note(makeLabel({}, "muted"))
    , m_choose(makeButton(tr("&Choose"), "primary"))
{
    setRole(this, "page");
    setWindowTitle(tr("%1 on %2").arg(question.title, oneLine(question.host)));
    m_path->setAccessibleName(tr("Folder"));
    m_list->setAccessibleName(tr("Files and folders"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setSelectionMode(question.kind == ChosenKind::Files ? QAbstractItemView::ExtendedSelection
                                                                : QAbstractItemView::SingleSelection);
    m_note->setWordWrap(true);
    auto* up = makeButton(tr("&Up"));
    auto* leave = makeButton(tr("Cancel"));
    auto* top = new QHBoxLayout;
    top->setSpacing(metrics::kGap);
    top->addWidget(m_path, 1);
    top->addWidget(up);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(metrics::kGap);
    bottom->addWidget(m_note, 1);
    bottom->addWidget(leave);
    bottom->addWidget(m_choose);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(metrics::kGap);
    column->addLayout(top);
    column->addWidget(m_list, 1);
    column->addLayout(bottom);
    resize(640, 480);

    connect(up, &QPushButton::clicked, this, [this] { go(QFileInfo(m_folder).path()); });
    connect(leave, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_choose, &QPushButton::clicked, this, &HostFileDialog::accept);
    connect(m_list, &QListWidget::itemActivated, this, &HostFileDialog::onActivated);
    connect(m_list, &QListWidget::itemSelectionChanged, this, &HostFileDialog::updateButtons);
    updateButtons();
    const QString start = question.start.startsWith(QLatin1Char('/')) ? question.start : QStringLiteral("~");
    go(question.kind == ChosenKind::Folder || start == QLatin1String("~") ? start : QFileInfo(start).path());
}

/// "~" is the home folder, which only the host knows.
void HostFileDialog::go(const QString& folder)
{
    m_note->setText(tr("Listing %1…").arg(oneLine(m_question.host)));
    m_runs.listFolder(m_question.host, folder == QLatin1String("~") ? QStringLiteral("/") : folder, this,
                      [this, folder](const Result<HostFolder>& listed) { onListed(folder, listed); });
}

void HostFileDialog::onListed(const QString& folder, const Result<HostFolder>& listed)
{
    if (!listed.ok())
        return m_note->setText(displayError(listed.error()));
    if (folder == QLatin1String("~"))
        return go(listed->home);
    m_folder = listed->path;
    m_path->setText(m_folder);
    m_list->clear();
    for (const bool folders : {true, false}) {
        for (const HostFolder::Entry& entry : listed->entries) {
            if (entry.folder == folders)
                m_list->addItem(itemFor(entry));
        }
    }
    m_note->setText(m_list->count() == 0 ? tr("The folder is empty.") : QString());
    updateButtons();
}

void HostFileDialog::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && m_path->hasFocus())
        go(m_path->text().trimmed());
    else if (event->key() == Qt::Key_Backspace && m_list->hasFocus())
        go(QFileInfo(m_folder).path());
    else
        QDialog::keyPressEvent(event);
}

void HostFileDialog::onActivated()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (item && item->data(kFolderRole).toBool())
        go(pathOf(item->data(kNameRole).toString()));
    else
        accept();
}

QString HostFileDialog::pathOf(const QString& name) const
{
    return QDir(m_folder).filePath(name);
}

/// A folder that is chosen is the selected one, else the one that is shown.
QStringList HostFileDialog::selectedPaths() const
{
    const bool folders = m_question.kind == ChosenKind::Folder;
    QStringList paths;
    for (const QListWidgetItem* item : m_list->selectedItems()) {
        if (item->data(kFolderRole).toBool() == folders)
            paths << pathOf(item->data(kNameRole).toString());
    }
    if (folders && paths.isEmpty() && !m_folder.isEmpty())
        paths << m_folder;
    paths.sort();
    return paths;
}

void HostFileDialog::updateButtons()
{
    m_choose->setEnabled(!selectedPaths().isEmpty());
}

void HostFileDialog::accept()
{
    const QStringList paths = selectedPaths();
    if (paths.isEmpty())
        return;
    emit chosen(paths);
    QDialog::accept();
}

} // namespace trainyard
