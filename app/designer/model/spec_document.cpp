#include "app/designer/model/spec_document.h"

#include <QUndoCommand>

#include "engine/base/file.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"

namespace trainyard {

/// Whole values before and after: a specification is small, and no edit can be undone wrongly.
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
    closeEdit(); // or the next edit would join a step from before the clean state
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

} // namespace trainyard
