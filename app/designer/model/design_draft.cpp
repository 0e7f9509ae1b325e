#include "app/designer/model/design_draft.h"

#include <nlohmann/json.hpp>

#include "app/designer/model/spec_document.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/spec_json.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

constexpr int kVersion = 1;
constexpr int kWriteMs = 1000;

struct Draft {
    std::string file;              ///< that it was opened from or saved to; may be empty
    std::optional<RunSpec> spec{}; ///< nothing before the first one
};

Result<Draft> parseDraft(std::string_view text)
{
    TRAINYARD_TRY(const nlohmann::json json, parseDeskJson(text, kVersion));
    Diagnostics problems;
    FieldReader reader(json, "", problems);
    Draft draft;
    std::string specification;
    reader.read("file", draft.file);
    reader.read("specification", specification);
    if (!problems.empty())
        return toError(problems);
    ParsedSpec parsed = parseSpec(specification);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in("specification");
    draft.spec = std::move(parsed.spec);
    return draft;
}

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
    const Result<Draft> draft = readDeskFile<Draft>(m_file, parseDraft);
    m_present = draft.ok() ? Status() : draft.error();
    if (draft.ok() && draft->spec)
        show(draft->file, *draft->spec);
    if (draft.ok() || draft.error().kind == ErrorKind::BadInput) {
        connect(&m_document, &SpecDocument::changed, &m_due, qOverload<>(&QTimer::start));
        connect(&m_document, &SpecDocument::fileChanged, &m_due, qOverload<>(&QTimer::start));
    }
    return m_present;
}

/// What was changed since the file was saved can be undone.
void DesignDraft::show(const std::string& file, const RunSpec& design)
{
    if (file.empty() || !m_document.open(file).ok())
        m_document.reset(design);
    else
        m_document.edit(tr("Changes from the last session"), QStringLiteral("draft"),
                        [&design](RunSpec& spec) { spec = design; });
}

void DesignDraft::write()
{
    const nlohmann::ordered_json json{{"version", kVersion},
                                      {"file", m_document.file().string()},
                                      {"specification", toJson(m_document.spec())}};
    // The name of a file may be no UTF-8; then the design comes back without it.
    const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const Status written = replaceDeskFile(m_file, text, m_present);
    if (written.ok())
        m_present = Status();
    else
        emit failed(written.error());
}

} // namespace trainyard
