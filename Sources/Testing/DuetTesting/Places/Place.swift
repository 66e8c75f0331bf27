import Duet
import Synchronization

/// A place in which a ``MessageSuite`` runs its messages, beside this process.
///
/// The places are `.http()` with the trait `Hummingbird`, `.cache { … }` with the trait `Caching` or `HTTP`, and
/// `.cluster()` with the trait `Cluster`.
public struct Place: Sendable {
    /// The name of a place.
    public enum Name: String, CaseIterable, Sendable {
        /// The dispatcher itself, to which the other places are compared.
        case process
        /// A client and a server with the routes of an API.
        case http
        /// A cache in front of the dispatcher.
        case cache
        /// A node that sends the messages, and another one that handles them.
        case cluster

        var text: String {
            switch self {
            case .process: "in this process"
            case .http: "over HTTP"
            case .cache: "through the cache"
            case .cluster: "through the cluster"
            }
        }
    }

    let name: Name
    let visit: (@Sendable (Visit, any Dispatcher) async throws -> [Finding])?

    /// Leaves a place out.
    ///
    /// - Parameters:
    ///   - name: A place where the messages do not run.
    ///   - reason: The reason, for readers of the suite.
    public static func skipping(_ name: Name, because reason: String) -> Place { Place(name: name, visit: nil) }

    /// The places that the traits provide.
    static var required: Set<Name> {
        var names: Set<Name> = []
        #if Hummingbird
            names.insert(.http)
        #endif
        #if Caching || HTTP
            names.insert(.cache)
        #endif
        #if Cluster
            names.insert(.cluster)
        #endif
        return names
    }
}

/// The dispatcher behind a carrier, which keeps the messages that arrive.
final class ArrivalDispatcher: Dispatcher {
    private let base: any Dispatcher
    private let messages = Mutex<[any Sendable]>([])

    init(_ base: any Dispatcher) {
        self.base = base
    }

    var arrived: [any Sendable] { messages.withLock { $0 } }

    func forget() { messages.withLock { $0 = [] } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        messages.withLock { $0.append(message) }
        return try await base.dispatch(message)
    }
}
