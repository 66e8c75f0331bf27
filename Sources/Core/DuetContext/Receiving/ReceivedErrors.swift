package import Duet
import Synchronization

/// The errors that other servers sent while this program handled a message.
///
/// A handler that does not catch such an error would pass another server's details on to its own callers, or blame
/// their credentials although those of this program were refused. One that another task received is not known here.
package final class ReceivedErrors: Sendable {
    /// Those of the message that this task handles; nil if it handles none.
    @TaskLocal package static var current: ReceivedErrors?

    private let names = Mutex<Set<String>>([])

    package init() {}

    package func insert(_ error: any DeclaredError) {
        _ = names.withLock { $0.insert(type(of: error).errorName) }
    }

    package func contains(_ error: any DeclaredError) -> Bool {
        names.withLock { $0.contains(type(of: error).errorName) }
    }
}
