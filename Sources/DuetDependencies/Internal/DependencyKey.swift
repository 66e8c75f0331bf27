import Duet

/// What a registration is found by: a type, and a name where it has one.
struct DependencyKey: Hashable, Sendable {
    let type: any Any.Type
    let name: DependencyName?

    init(_ type: any Any.Type, _ name: DependencyName? = nil) {
        self.type = type
        self.name = name
    }

    /// The type as one would write it, without its module; the name as a literal.
    var shortName: String { named("\(type)") }

    /// The same with the module, for two types that are written alike.
    var longName: String { named(qualifiedName(of: type)) }

    /// Whether this is a dispatcher or one of its halves, without a name.
    var isDispatcher: Bool {
        [(any CommandQueryDispatcher).self, (any CommandDispatcher).self, (any QueryDispatcher).self]
            .contains { DependencyKey($0) == self }
    }

    private func named(_ type: String) -> String {
        // The runtime says `any Clock<Self.Clock.Duration == Duration>`, and who writes it leaves the left sides out.
        let type = type.contains("Self.") ? type.replacing(#/([< ])Self\.[^ ]+ == /#) { "\($0.1)" } : type
        return name.map { "\(type) \(String(reflecting: $0.description))" } ?? type
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.type == rhs.type && lhs.name == rhs.name
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type))
        hasher.combine(name)
    }
}
