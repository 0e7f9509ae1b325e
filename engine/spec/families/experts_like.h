#pragma once

#include "engine/spec/families/family_table.h"

namespace trainyard {

// What decoders with a mixture of experts share.

/// llamaNames() with a router and experts, as transformers has them since version 5: all experts in one
/// tensor.
FamilyNames expertNames();
/// num_local_experts or num_experts, num_experts_per_tok, router_aux_loss_coef. BadInput for noise in the
/// router.
Status readExperts(const ConfigJson& config, ModelSpec& model);
void writeExperts(ConfigJson& config, const ModelSpec& model);

} // namespace trainyard
