/// What something needs in order to be made: a type, under a name where it was registered under one.
///
/// An optional type is a dependency that may be missing, and then is nil; an array is every registration of its element's
/// type, whatever its name, in the order in which they were made, and may be empty. An array with a name is one that was
/// registered under it.
public struct Dependency: Sendable {
    enum Kind {
        case required
        case optional
        case collection
        case scope
    }

    let kind: Kind
    /// What is looked for: what is in the optionals or the array, unless one of these itself is registered.
    let key: DependencyKey
    /// What was asked for and what is in it, optional by optional: the first that is registered is taken.
    let candidates: [DependencyKey]

    /// A dependency on `type`.
    ///
    /// - Parameters:
    ///   - type: What is needed: `(any Api).self`, `Logger?.self`, `[any Plugin].self`.
    ///   - name: The name under which it was registered.
    public init<T>(_ type: T.Type, named name: DependencyName? = nil) {
        var candidates = [DependencyKey(type, name)]
        var kind = Kind.required
        var needed: any Any.Type = type
        while kind != .collection, let wrapping = needed as? any WrappingDependency.Type {
            // A collection is of all names, so an array with a name is one that was registered itself.
            if wrapping.wrapping == .collection, name != nil { break }
            kind = wrapping.wrapping
            needed = wrapping.wrappedType
            if kind == .optional { candidates.append(DependencyKey(needed, name)) }
        }
        self.kind = needed == Scope.self && kind != .collection ? .scope : kind
        key = DependencyKey(needed, name)
        self.candidates = candidates
    }
}
