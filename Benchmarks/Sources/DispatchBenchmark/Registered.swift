/// The ways in which a container has a handler.
enum Registered: CaseIterable {
    /// Made once.
    case singleton
    /// A struct, made for each message, with a singleton that it depends on.
    case transientStruct
    /// A class, made for each message, with a singleton that it depends on.
    case transientClass
    /// A struct, made for each message, with a dependency that is made once in the scope of each dispatch.
    case needsScope
    /// The struct with a singleton again, dispatched in a scope that overrides something that the handler does not need.
    case overriddenScope

    var name: String {
        switch self {
        case .singleton: "singleton"
        case .transientStruct: "transient-struct"
        case .transientClass: "transient-class"
        case .needsScope: "needs-scope"
        case .overriddenScope: "overridden-scope"
        }
    }
}
