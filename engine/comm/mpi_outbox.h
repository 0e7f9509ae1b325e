#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include <mpi.h>

#include "engine/base/ids.h"

namespace trainyard {

/// Pending messages of this process. MPI advances them only inside MPI calls: the communication thread calls
/// progress() while it has nothing else to do, and so must whoever waits on it for other ranks outside MPI.
/// Communication thread only.
class MpiOutbox {
public:
    MpiOutbox() = default;
    MpiOutbox(const MpiOutbox&) = delete;
    MpiOutbox& operator=(const MpiOutbox&) = delete;

    /// Copies `bytes` and returns.
    void send(std::span<const std::byte> bytes, Rank to, MPI_Comm communicator);
    bool isEmpty() const { return m_messages.empty(); }
    /// Lets MPI work. True while messages are on their way.
    bool progress();
    /// Returns when no message of the communicator is on its way.
    void finish(MPI_Comm communicator);

private:
    struct Message {
        std::vector<std::byte> bytes; ///< MPI reads them in place
        MPI_Comm communicator = MPI_COMM_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    std::list<Message> m_messages;
};

} // namespace trainyard
