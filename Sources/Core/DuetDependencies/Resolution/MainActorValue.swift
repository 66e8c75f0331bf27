/// A value that belongs to the main actor and need not be `Sendable`, such as a SwiftData `ModelContext`.
///
/// A container keeps only `Sendable` values, and its factories may run on any thread. Register such a value in this
/// box, with a factory on the main actor:
///
/// ```swift
/// builder.singleton { @MainActor in MainActorValue(ledger) }
/// ```
///
/// A handler on the main actor can have the box as a dependency: `let ledger: MainActorValue<Ledger>`.
///
/// Values of a `@MainActor` class are `Sendable` and need no box: `builder.scoped { @MainActor in Model() }`.
@MainActor
public final class MainActorValue<Value> {
    /// The value, which only code on the main actor can read.
    public let value: Value

    /// Creates a box of a value.
    public init(_ value: Value) {
        self.value = value
    }
}

extension Scope {
    /// Returns a value of a type to code on the main actor, out of its ``MainActorValue`` if it is registered as one.
    ///
    /// - Throws: As ``resolve(_:)``.
    @MainActor
    package func resolveOnMainActor<T>(_ type: T.Type, named name: DependencyName? = nil) async throws -> T {
        let boxed = DependencyKey(MainActorValue<T>.self, name)
        if !canResolve(DependencyKey(T.self, name)), canResolve(boxed) {
            let box: MainActorValue<T> = try await value(named: name)
            return box.value
        }
        return try await value(named: name)
    }

    /// Returns a shared value to code on the main actor if it already exists.
    @MainActor
    package func readyOnMainActor<T>(_ type: T.Type) -> T? {
        ready(MainActorValue<T>.self)?.value ?? ready(T.self)
    }
}
