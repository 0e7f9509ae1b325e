#include "engine/nn/layer_runner.h"

namespace trainyard {

LayerRunner& directRunner()
{
    static LayerRunner runner;
    return runner;
}

} // namespace trainyard
