/// What something needs in order to be made: a type, under a name where it was registered under one.
///
/// An optional type is a dependency that may be missing, and then is nil; an array is every registration of its element's
/// type, whatever its name, in the order in which they were made, and may be empty.
public struct Dependency: Sendable {
    enum Kind {
        case required
        case optional
        case collection
        case scope
    }

    let kind: Kind
    /// What is looked for: for an optional or an array what is in it, unless the optional or array itself is registered.
    let key: DependencyKey
    let whole: DependencyKey

    /// A dependency on `type`.
    ///
    /// - Parameters:
    ///   - type: What is needed: `(any Api).self`, `Logger?.self`, `[any Plugin].self`.
    ///   - name: The name under which it was registered.
    public init<T>(_ type: T.Type, named name: DependencyName? = nil) {
        if let wrapping = T.self as? any WrappingDependency.Type {
            self = wrapping.dependency(named: name)
        } else {
            self.init(T.self == Scope.self ? .scope : .required, DependencyKey(type, name))
        }
    }

    init(_ kind: Kind, _ key: DependencyKey, whole: DependencyKey? = nil) {
        self.kind = kind
        self.key = key
        self.whole = whole ?? key
    }
}
