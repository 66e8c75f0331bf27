/// Gives the value of one registration, as an object that a table can file under the value's type.
final class Provider<T>: Sendable {
    let source: any Source<T>

    init(_ source: any Source<T>) {
        self.source = source
    }

    /// Where the value comes from, if that is made once in a container.
    var singleton: (any SendableSource)? { source as? any SendableSource }

    @inline(__always)
    func value(in scope: Scope) async throws -> T {
        try await source.value(in: scope)
    }
}

/// Where a value comes from, by its lifetime.
protocol Source<Value>: AnyObject, Sendable {
    associatedtype Value

    /// The value for `scope`, if it has been made.
    func ready(in scope: Scope) -> Value?

    /// The value for `scope`, made or made before.
    ///
    /// - Throws: ``ResolutionError`` whose path begins here, or `CancellationError`.
    func value(in scope: Scope) async throws -> Value
}

extension Source {
    func ready(in scope: Scope) -> Value? { nil }
}

/// A source whose values are `Sendable`, and can be told to be.
protocol SendableSource: Sendable {
    /// The value, as a ``SendableValue``.
    func sendableValue(in scope: Scope) async throws -> any Sendable
}

/// A value that is known to be `Sendable`, which no cast can find out.
struct SendableValue<Value: Sendable>: Sendable {
    let value: Value
}
