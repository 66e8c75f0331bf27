import Duet

/// The callers that share the cached values of a query.
public struct CacheScope: Sendable {
    private enum Kind {
        case principal
        case shared
        case custom(@Sendable () -> String)
    }

    private let kind: Kind

    /// Callers share values if their handlers cannot tell them apart.
    ///
    /// These have the same principal with the same permissions, or the same authority of the program. All anonymous
    /// callers share theirs. This is the default.
    public static let principal = CacheScope(kind: .principal)

    /// All callers share the values.
    public static let shared = CacheScope(kind: .shared)

    /// Callers with the same name share the values, for example those of one tenant.
    ///
    /// A value is not stored if the name differs when its load ends. A name that changes belongs in the principal or in
    /// a value of `ServiceContext`, which reloads for an observer keep: one that changes and returns during a load goes
    /// unnoticed.
    ///
    /// - Parameter name: Returns the name for the current task.
    public static func named(_ name: @escaping @Sendable () -> String) -> CacheScope { CacheScope(kind: .custom(name)) }

    var isShared: Bool { if case .shared = kind { true } else { false } }

    /// Whether the current task may show the change of a command that no load has confirmed.
    ///
    /// A client of a server shows it to its own principal only.
    var showsUnconfirmedChanges: Bool {
        guard Caller.current.isServed else { return true }
        if case .principal = kind { return Principal.current != nil }
        return false
    }

    /// The name of the current task's scope; nil for the scope of all callers.
    ///
    /// The first character distinguishes principals, authorities, nodes of a cluster, and custom names.
    @inline(__always)
    var current: String? {
        switch kind {
        case .shared: nil
        case .principal: Self.name(of: .current)
        case .custom(let name): "n" + name().exact
        }
    }

    /// Whether a name of a scope is a custom one.
    static func isNamed(_ scope: String) -> Bool { scope.utf8.first == UInt8(ascii: "n") }

    private static func name(of caller: Caller) -> String? {
        let principal = caller.principal?.exactText
        // The length keeps the parts apart.
        if let name = caller.authority?.name.exact { return "a\(name.utf8.count):" + name + (principal ?? "") }
        // A node may send what a principal alone may not.
        return caller.isNode ? "m" + (principal ?? "") : principal
    }
}
