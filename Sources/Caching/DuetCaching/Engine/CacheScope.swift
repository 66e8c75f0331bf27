import Duet
import DuetContext
import ServiceContextModule

/// The callers that share the cached values of a query.
public struct CacheScope: Sendable {
    private enum Kind: Sendable {
        case principal
        case shared
        case custom(@Sendable () -> String)
    }

    private let kind: Kind

    /// Each principal has its own values, and all callers without a principal share theirs.
    ///
    /// This is the default.
    public static let principal = CacheScope(kind: .principal)

    /// All callers share the values.
    public static let shared = CacheScope(kind: .shared)

    /// Callers with the same name share the values, for example those of one tenant.
    ///
    /// - Parameter name: Returns the name for the current task.
    public static func named(_ name: @escaping @Sendable () -> String) -> CacheScope { CacheScope(kind: .custom(name)) }

    var isShared: Bool { if case .shared = kind { true } else { false } }

    /// The name of the current task's scope; nil for the scope of all callers.
    ///
    /// The first character distinguishes a principal from a custom name.
    @inline(__always)
    var current: String? {
        switch kind {
        case .shared: nil
        case .principal: Principal.current.map { "p" + $0.id.exact }
        case .custom(let name): "n" + name().exact
        }
    }
}

extension String {
    /// The text itself, or one that equals another one only if all bytes are equal.
    fileprivate var exact: String {
        utf8.contains { $0 >= 0x80 } ? ForeignText.exact(utf8) : self
    }
}
