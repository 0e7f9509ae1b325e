#include "tests/device/simulated/simulated_test.h"

namespace trainyard {

const GpuPlugin& simulatedPlugin()
{
    static const GpuPlugin plugin =
        GpuPlugin::open("0",
                        std::filesystem::path(TRAINYARD_BIN_DIR).parent_path() / "lib/libtrainyard_sim.so")
            .value();
    return plugin;
}

} // namespace trainyard
