#include "app/shell/about.h"

#include <QApplication>
#include <QMessageBox>
#include <QStringList>

namespace trainyard {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("trainyard::About", text);
}

QString facts(const std::filesystem::path& dataFolder)
{
    return QStringList{
        tr("Runs, hosts and data sets are kept in\n%1").arg(QString::fromStdString(dataFolder.string())),
        tr("Free software under the GNU General Public License, version 3 or later. It comes with no "
           "warranty."),
        tr("With Qt %1, QCustomPlot, libssh and HDF5 on this computer; LibTorch, MPI and NCCL on the hosts.")
            .arg(QLatin1String(qVersion())),
    }
        .join(QStringLiteral("\n\n"));
}

} // namespace

void showAbout(QWidget& window, const std::filesystem::path& dataFolder)
{
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Trainyard"),
                                tr("Trainyard %1").arg(QCoreApplication::applicationVersion()),
                                QMessageBox::Close, &window);
    box->setInformativeText(facts(dataFolder));
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace trainyard
