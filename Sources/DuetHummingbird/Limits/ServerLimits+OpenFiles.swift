import Foundation
package import Logging

extension ServerLimits {
    /// How many connections there are at most in this process, which may have only so many files open.
    package var openConnections: Int {
        var limit = rlimit()
        guard unsafe getrlimit(Self.openFiles, &limit) == 0 else { return connections }
        return connections(fittingInto: Int(clamping: limit.rlim_cur))
    }

    /// Tells when there are fewer than the limit.
    package func tellOpenConnections(_ logger: Logger) {
        guard openConnections < connections else { return }
        logger.notice(
            "Fewer connections than the limit, for want of open files: raise their number (ulimit -n)",
            metadata: ["connections": "\(openConnections)", "limit": "\(connections)"]
        )
    }

    /// How many connections there are at most where so many files may be open.
    ///
    /// Each is one, and perhaps another one goes on from here; some are left for all else. Where none is left the system accepts
    /// no connection, and goes on saying that there is one.
    package func connections(fittingInto files: Int) -> Int {
        max(1, min(connections, (files - 64) / 2))
    }

    /// Lets this process have as many files open as it may let itself, which is mostly more than it is given.
    package static func raiseOpenFiles() {
        var limit = rlimit()
        guard unsafe getrlimit(openFiles, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // Otherwise it stays as it is, which the number of connections follows.
        _ = unsafe setrlimit(openFiles, &limit)
    }

    #if os(Linux)
        private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let openFiles = RLIMIT_NOFILE
    #endif
}
