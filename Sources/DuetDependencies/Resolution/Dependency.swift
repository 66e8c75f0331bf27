/// What something needs in order to be made: a type, under a name where it was registered under one.
///
/// An optional type is a dependency that may be missing, and then is nil; an array is every registration of its element's
/// type, in the order in which they were made.
public struct Dependency: Sendable {
    let key: DependencyKey
    let kind: Kind

    /// A dependency on `type`.
    ///
    /// - Parameters:
    ///   - type: What is needed: `(any Api).self`, `Logger?.self`, `[any Plugin].self`.
    ///   - name: The name under which it was registered.
    public init<T>(_ type: T.Type, named name: DependencyName? = nil) {
        key = DependencyKey(type, name)
        kind = T.self == Scope.self ? .scope : .required
    }

    enum Kind {
        case required
        case scope
    }
}
