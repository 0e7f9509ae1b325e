#include "remote/deploy/parcel.h"

#include <QJsonArray>

namespace trainyard {

Parcel parcelOf(const Bundle& bundle)
{
    Parcel parcel;
    parcel.what = "the engine";
    parcel.files = bundle.files;
    parcel.mayBeElsewhere = true;
    QJsonArray files;
    for (const BundleEntry& file : bundle.files)
        files << QJsonObject{{"path", QString::fromStdString(file.path)},
                             {"mode", file.executable ? "0755" : "0644"},
                             {"sha256", QString::fromStdString(file.sha256)}};
    parcel.assembly = {{"op", "assemble"}, {"bundle", QString::fromStdString(bundle.id)}, {"files", files}};
    parcel.roomHint =
        "free space there (`trainyard clean` removes old engines), or set TRAINYARD_HOME on the host "
        "to a folder with enough space";
    return parcel;
}

} // namespace trainyard
