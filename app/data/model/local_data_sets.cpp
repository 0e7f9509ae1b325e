#include "app/data/model/local_data_sets.h"

#include <QDir>
#include <QFileInfo>

#include "app/base/this_machine.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

namespace {

std::optional<DataSetEntry> readEntry(const QString& folder)
{
    const auto manifest = readDataSetManifest(folder);
    if (!manifest.ok())
        return std::nullopt;
    DataSetEntry entry;
    entry.name = QDir(folder).dirName();
    entry.host = thisMachine();
    entry.folder = folder;
    return withManifest(entry, *manifest);
}

} // namespace

const DataSetEntry* LocalDataSets::find(const QString& folder)
{
    const QFileInfo file(folder + QStringLiteral("/manifest.json"));
    if (!QDir::isAbsolutePath(folder) || !file.isFile())
        return nullptr;
    Manifest& known = m_manifests[folder];
    if (known.changed != file.lastModified() || known.bytes != file.size())
        known = {file.lastModified(), file.size(), readEntry(folder)};
    return known.entry ? &*known.entry : nullptr;
}

} // namespace trainyard
