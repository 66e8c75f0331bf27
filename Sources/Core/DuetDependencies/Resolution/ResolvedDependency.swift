import Duet

/// A type, with an optional name, that must be resolved to create another.
///
/// A dependency on an optional type may be missing and is then nil. A dependency on an array without a name is every
/// registration of the element's type, under any name, in the order of registration, and may be empty. An array with a
/// name is the array registered under that name.
public struct ResolvedDependency: Sendable {
    enum Kind {
        case required
        case optional
        case collection
        case scope
    }

    let kind: Kind
    /// The type inside the optionals or the array, with the name.
    let key: DependencyKey
    /// The requested type and the types it wraps, optional by optional; the first that is registered is used.
    let candidates: [DependencyKey]

    /// Creates a dependency on a type.
    ///
    /// - Parameters:
    ///   - type: The needed type: `(any Api).self`, `Logger?.self`, `[any Plugin].self`.
    ///   - name: The name of the registration, if any.
    public init<T>(_ type: T.Type, named name: DependencyName? = nil) {
        var candidates = [DependencyKey(type, name)]
        var kind = Kind.required
        var needed: any Any.Type = type
        while kind != .collection, let wrapping = needed as? any WrappingDependency.Type {
            // A collection covers all names, so an array with a name must be registered itself.
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

/// A name that distinguishes registrations of one type.
///
/// Write the name as a literal, or as a constant in an extension, where the compiler catches a misspelling:
///
/// ```swift
/// extension DependencyName {
///     static let archive: DependencyName = "archive"
/// }
/// ```
public struct DependencyName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as text.
    public let description: String

    /// Creates a name from text.
    public init(_ name: String) {
        description = name
    }

    /// Creates a name from a string literal.
    public init(stringLiteral name: String) {
        description = name
    }
}

/// The type and optional name that identify a registration.
struct DependencyKey: Hashable {
    let type: any Any.Type
    let name: DependencyName?

    init(_ type: any Any.Type, _ name: DependencyName? = nil) {
        self.type = type
        self.name = name
    }

    /// The type as code writes it, without its module; the name follows as a literal.
    var shortName: String { named("\(type)") }

    /// The same with the module, to distinguish types with the same short name.
    var longName: String { named(qualifiedName(of: type)) }

    var isDispatcher: Bool {
        [(any Dispatcher).self, (any CommandDispatcher).self, (any QueryDispatcher).self]
            .contains { DependencyKey($0) == self }
    }

    private func named(_ type: String) -> String {
        // The runtime prints `any Clock<Self.Clock.Duration == Duration>`; code leaves out the left-hand sides.
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

/// A type that is resolved through another: an optional through the type it wraps, an array through its elements.
protocol WrappingDependency {
    static var wrappedType: any Any.Type { get }
    static var wrapping: ResolvedDependency.Kind { get }
    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Self
}

extension Optional: WrappingDependency {
    static var wrappedType: any Any.Type { Wrapped.self }
    static var wrapping: ResolvedDependency.Kind { .optional }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> Wrapped? {
        guard scope.canResolve(DependencyKey(Wrapped.self, name)) else { return nil }
        return .some(try await scope.value(named: name))
    }
}

extension Array: WrappingDependency {
    static var wrappedType: any Any.Type { Element.self }
    static var wrapping: ResolvedDependency.Kind { .collection }

    static func resolve(in scope: Scope, named name: DependencyName?) async throws -> [Element] {
        // A collection covers all names, so an array with a name must be registered itself.
        if let name { throw ResolutionError(.notRegistered, DependencyKey([Element].self, name)) }
        var elements: [Element] = []
        for key in scope.container.keys(of: Element.self) {
            elements.append(try await scope.value(named: key.name))
        }
        return elements
    }
}
