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

    private func named(_ type: String) -> String {
        name.map { "\(type) \(String(reflecting: $0.description))" } ?? type
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.type == rhs.type && lhs.name == rhs.name
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type))
        hasher.combine(name)
    }
}
