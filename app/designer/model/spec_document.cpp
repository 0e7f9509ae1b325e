#include "app/designer/model/spec_document.h"

#include <nlohmann/json.hpp>

#include <QUndoCommand>

#include "engine/base/file.h"
#include "engine/spec/field_reader.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "remote/target/desk_file.h"

namespace trainyard {

/// Keeps complete values before and after: a specification is small, and undo cannot go wrong.
class SpecEdit : public QUndoCommand {
public:
    SpecEdit(SpecDocument& document, const QString& text, QString field, int group, RunSpec before,
             RunSpec after)
        : QUndoCommand(text)
        , m_document(document)
        , m_field(std::move(field))
        , m_group(group)
        , m_before(std::move(before))
        , m_after(std::move(after))
    {
    }

    void undo() override { m_document.assign(m_before); }
    void redo() override { m_document.assign(m_after); }
    int id() const override { return 1; }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const SpecEdit&>(*other);
        if (next.m_field != m_field || next.m_group != m_group)
            return false;
        m_after = next.m_after;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    SpecDocument& m_document;
    QString m_field;
    int m_group;
    RunSpec m_before;
    RunSpec m_after;
};

SpecDocument::SpecDocument(QObject* parent) : QObject(parent)
{
    m_diagnostics = validate(m_spec);
}

void SpecDocument::edit(const QString& text, const QString& field,
                        const std::function<void(RunSpec&)>& change)
{
    RunSpec after = m_spec;
    change(after);
    if (after != m_spec)
        m_undo.push(new SpecEdit(*this, text, field, m_editGroup, m_spec, after));
}

void SpecDocument::closeEdit()
{
    ++m_editGroup;
}

void SpecDocument::editAtOnce(const QString& text, const QString& field,
                              const std::function<void(RunSpec&)>& change)
{
    closeEdit();
    edit(text, field, change);
    closeEdit();
}

void SpecDocument::reset(const RunSpec& spec)
{
    m_undo.clear();
    m_file.clear();
    assign(spec);
    emit fileChanged();
}

Status SpecDocument::open(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    const ParsedSpec parsed = parseSpec(text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(file.string());
    m_undo.clear();
    m_file = file;
    assign(parsed.spec);
    emit fileChanged();
    return {};
}

Status SpecDocument::save(const std::filesystem::path& file)
{
    TRAINYARD_TRY_STATUS(writeFileAtomically(file, toJson(m_spec)));
    m_file = file;
    closeEdit(); // otherwise the next edit would join an undo step from before the clean state
    m_undo.setClean();
    emit fileChanged();
    return {};
}

void SpecDocument::assign(const RunSpec& spec)
{
    m_spec = spec;
    m_diagnostics = validate(m_spec);
    emit changed();
}

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

/// Shows the file first and then the draft, so that changes since the last save can be undone.
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
    // The name of a file may not be UTF-8; then the design is restored without it.
    const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const Status written = replaceDeskFile(m_file, text, m_present);
    if (written.ok())
        m_present = Status();
    else
        emit failed(written.error());
}

} // namespace trainyard
