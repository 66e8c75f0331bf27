/// What a registration is found by: a type, and a name where it has one.
struct DependencyKey: Hashable, Sendable {
    let type: ObjectIdentifier
    let name: DependencyName?

    init<T>(_ type: T.Type, _ name: DependencyName?) {
        self.type = ObjectIdentifier(type)
        self.name = name
    }
}
