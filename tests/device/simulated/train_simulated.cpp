#include "tests/device/simulated/train_simulated.h"

#include "engine/base/check.h"
#include "engine/comm/process_group.h"
#include "engine/device/device_session.h"
#include "tests/device/simulated/simulated_test.h"

namespace trainyard {

namespace {

/// The groups of a rank that has a device, and the session that they belong to.
class SessionMaker final : public GroupMaker {
public:
    explicit SessionMaker(GroupMaker& host)
        : m_host(host)
        , m_session(simulatedPlugin(), host,
                    {[](const std::string& what) { TRAINYARD_CHECK_MSG(false, what); }, [] {}})
    {
    }

    Rank rank() const override { return m_host.rank(); }
    WorldSize worldSize() const override { return m_host.worldSize(); }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override
    {
        return m_session.maker().make(description);
    }
    DeviceFigures figures() { return {&m_session.memory(), &m_session.timer()}; }

private:
    GroupMaker& m_host;
    DeviceSession m_session;
};

} // namespace

Status trainOnSimulatedDevices(const std::filesystem::path& directory, const RunSpec& spec,
                               TrainOptions options)
{
    options.device = simulatedPlugin().device();
    options.wrapMaker = [](GroupMaker& maker) { return std::make_unique<SessionMaker>(maker); };
    options.deviceFigures = [](GroupMaker& maker) { return static_cast<SessionMaker&>(maker).figures(); };
    return trainAsThreads(directory, spec, std::move(options));
}

} // namespace trainyard
