#include "app/models/design_draft.h"

#include <nlohmann/json.hpp>

#include "app/models/spec_document.h"
#include "engine/base/file.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1;
constexpr int kWriteMs = 1000;

} // namespace

DesignDraft::DesignDraft(SpecDocument& document, std::filesystem::path file, QObject* parent)
    : QObject(parent), m_document(document), m_file(std::move(file))
{
    m_due.setSingleShot(true);
    m_due.setInterval(kWriteMs);
    connect(&m_due, &QTimer::timeout, this, &DesignDraft::write);
}

DesignDraft::~DesignDraft()
{
    if (m_due.isActive())
        write();
}

Status DesignDraft::restore()
{
    if (std::filesystem::exists(m_file)) {
        TRAINYARD_TRY_STATUS(read());
    }
    connect(&m_document, &SpecDocument::changed, &m_due, qOverload<>(&QTimer::start));
    connect(&m_document, &SpecDocument::fileChanged, &m_due, qOverload<>(&QTimer::start));
    return {};
}

/// What was changed since the file was saved can be undone.
Status DesignDraft::read()
{
    TRAINYARD_TRY(const std::string text, readFile(m_file));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto isText = [&json](const char* key) { return json.contains(key) && json[key].is_string(); };
    if (!json.is_object() || json.value("version", 0) != kVersion || !isText("file") ||
        !isText("specification"))
        return badInput(m_file.string() + ": is not a design of this version", "move the file away");
    const ParsedSpec parsed = parseSpec(json["specification"].get<std::string>());
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(m_file.string());
    const auto opened = json["file"].get<std::string>();
    if (opened.empty() || !m_document.open(opened).ok())
        m_document.reset(parsed.spec);
    else
        m_document.edit(tr("Changes of the last session"), QStringLiteral("draft"),
                        [&parsed](RunSpec& spec) { spec = parsed.spec; });
    return {};
}

void DesignDraft::write()
{
    const nlohmann::ordered_json json{{"version", kVersion},
                                      {"file", m_document.file().string()},
                                      {"specification", toJson(m_document.spec())}};
    if (const Status written = writeFileAtomically(m_file, json.dump(2) + "\n"); !written.ok())
        emit failed(written.error());
}

} // namespace trainyard
