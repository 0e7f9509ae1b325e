#pragma once

#include <string>

namespace trainyard {

/// The JSON schema (draft 2020-12) of a run specification, made from its description: the text of
/// resources/schema/run_spec.schema.json.
std::string specSchema();

/// The manual of all fields as Markdown, one table per section: the text of engine/spec/FIELDS.md.
std::string fieldManual();

} // namespace trainyard
