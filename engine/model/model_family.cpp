#include "engine/model/model_family.h"

#include "engine/base/check.h"

namespace trainyard {

const ModelFamilyTraits& familyOf(const ModelSpec& model)
{
    switch (model.family) {
    case ModelFamily::Bert:
        return bertFamily();
    case ModelFamily::Gpt:
        return gptFamily();
    }
    TRAINYARD_CHECK_MSG(false, "unknown model family");
    return bertFamily();
}

} // namespace trainyard
