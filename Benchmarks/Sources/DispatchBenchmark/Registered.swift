/// The ways to register a handler in a container.
enum Registered: CaseIterable {
    /// A singleton.
    case singleton
    /// A struct that is created for each message, and depends on a singleton.
    case transientStruct
    /// A class that is created for each message, and depends on a singleton.
    case transientClass
    /// A struct that is created for each message, and depends on a scoped value.
    case needsScope
    /// The struct with a singleton, dispatched in a scope that overrides a type that the handler does not use.
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
