#include "app/demo/resource_folder.h"

#include <QCoreApplication>

namespace trainyard {

std::filesystem::path resourceFolder()
{
    const std::filesystem::path bin = QCoreApplication::applicationDirPath().toStdString();
    return bin.parent_path() / "share" / "trainyard";
}

} // namespace trainyard
