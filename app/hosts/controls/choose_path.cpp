#include "app/hosts/controls/choose_path.h"

#include <QFileDialog>

#include "app/hosts/controls/host_file_dialog.h"
#include "app/hosts/model/host_entry.h"

namespace trainyard {

namespace {

QStringList chooseHere(QWidget* parent, const PathQuestion& question)
{
    switch (question.kind) {
    case ChosenKind::File:
        return {QFileDialog::getOpenFileName(parent, question.title, question.start)};
    case ChosenKind::Files:
        return QFileDialog::getOpenFileNames(parent, question.title, question.start);
    case ChosenKind::Folder:
        break;
    }
    return {QFileDialog::getExistingDirectory(parent, question.title, question.start)};
}

} // namespace

void choosePaths(QWidget* parent, RunService& runs, const PathQuestion& question,
                 const std::function<void(const QStringList&)>& chosen)
{
    if (question.host == thisMachine()) {
        QStringList paths = chooseHere(parent, question);
        paths.removeAll(QString());
        paths.sort();
        if (!paths.isEmpty())
            chosen(paths);
        return;
    }
    auto* dialog = new HostFileDialog(runs, question, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &HostFileDialog::chosen, parent, chosen);
    dialog->open();
}

} // namespace trainyard
