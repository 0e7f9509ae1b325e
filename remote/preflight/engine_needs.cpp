#include "remote/preflight/engine_needs.h"

#include <QJsonArray>

#include "remote/wire/elf_file.h"

namespace trainyard {

namespace {

QString nameOf(const BundleEntry& file)
{
    return QString::fromStdString(std::filesystem::path(file.path).filename().string());
}

/// In the part that programs use only when they are started by the bundle's own loader.
bool isOfRuntime(const BundleEntry& file)
{
    return file.path.starts_with("system/") || file.path.starts_with("mpi/");
}

QSet<QString> librariesIn(const Bundle& bundle, bool ofRuntime)
{
    QSet<QString> names;
    for (const BundleEntry& file : bundle.files) {
        if (isOfRuntime(file) == ofRuntime)
            names << nameOf(file);
    }
    return names;
}

void add(const ElfFile& elf, const QSet<QString>& broughtAlong, EngineNeeds::Libraries& needs)
{
    for (const auto& [library, versions] : elf.needs) {
        const QString name = QString::fromStdString(library);
        if (broughtAlong.contains(name))
            continue;
        auto& needed = needs[name];
        for (const std::string& version : versions)
            needed << QString::fromStdString(version);
    }
}

/// 13 of "libcudart.so.13"; 0 for other files.
int cudaVersionOf(const BundleEntry& file)
{
    const QString name = nameOf(file);
    return name.startsWith("libcudart.so.") ? name.section('.', 2, 2).toInt() : 0;
}

void addTo(QJsonObject& request, const EngineNeeds::Libraries& libraries)
{
    for (const auto& [name, versions] : libraries.asKeyValueRange()) {
        QJsonArray list = request.value(name).toArray();
        for (const QString& version : versions)
            list << version;
        request.insert(name, list);
    }
}

} // namespace

EngineNeeds EngineNeeds::withMpiOfHost() const
{
    EngineNeeds needs = *this;
    needs.usesRuntime = false;
    return needs;
}

QJsonObject EngineNeeds::request() const
{
    QJsonObject request;
    addTo(request, libraries);
    addTo(request, cudaLibraries);
    return request;
}

Result<EngineNeeds> engineNeeds(const Bundle& bundle)
{
    EngineNeeds needs;
    needs.bundle = QString::fromStdString(bundle.id);
    needs.bytes = static_cast<qint64>(bundle.with({}).totalBytes());
    const QSet<QString> broughtAlong = librariesIn(bundle, false);
    needs.runtime = librariesIn(bundle, true);
    bool hasCuda = false;
    int cuda = 0;
    for (const BundleEntry& file : bundle.files) {
        hasCuda = hasCuda || file.forCuda;
        cuda = std::max(cuda, cudaVersionOf(file));
        TRAINYARD_TRY(const auto elf, readElf(file.source));
        if (!elf)
            continue;
        const QString architecture = QString::fromStdString(architectureName(elf->machine));
        if (!needs.architecture.isEmpty() && needs.architecture != architecture)
            return badInput("the engine bundle has files for " + needs.architecture.toStdString() +
                                " and for " + architecture.toStdString() + ": " + file.path,
                            "rebuild it with packaging/bundle");
        needs.architecture = architecture;
        if (isOfRuntime(file)) {
            needs.usesRuntime = needs.usesRuntime || file.path.starts_with("system/ld-linux");
            if (const QString kernel = QString::fromStdString(elf->kernel);
                isOlder(needs.kernel.toStdString(), elf->kernel))
                needs.kernel = kernel;
            continue;
        }
        add(*elf, broughtAlong, file.forCuda ? needs.cudaLibraries : needs.libraries);
    }
    // LibTorch without its CUDA part links the run-time too, and asks nothing of a driver.
    needs.cuda = hasCuda ? cuda : 0;
    return needs;
}

EngineNeeds needsOfDesk()
{
    const auto folder = findBundleFolder();
    const auto bundle =
        folder.ok() ? Bundle::load(*folder, TRAINYARD_VERSION) : Result<Bundle>(folder.error());
    const auto needs = bundle.ok() ? engineNeeds(*bundle) : Result<EngineNeeds>(bundle.error());
    return needs.ok() ? *needs : EngineNeeds();
}

} // namespace trainyard
