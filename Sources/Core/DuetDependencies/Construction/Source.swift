import Synchronization

/// Provides the value of one registration, as an object that a table can store under the value's type.
final class Provider<T>: Sendable {
    let source: any Source<T>

    init(_ source: any Source<T>) {
        self.source = source
    }

    @inline(__always)
    func value(in scope: Scope) async throws -> T {
        try await source.value(in: scope)
    }
}

/// Provides values according to their lifetime.
protocol Source<Value>: AnyObject, Sendable {
    associatedtype Value

    func ready(in scope: Scope) -> Value?

    /// Returns the value for `scope`, creating it if necessary.
    ///
    /// - Throws: ``ResolutionError`` with a path that begins at this value, or `CancellationError`.
    func value(in scope: Scope) async throws -> Value
}

extension Source {
    func ready(in scope: Scope) -> Value? { nil }
}

final class TransientSource<M: Maker>: Source {
    private let maker: M
    let name: String

    init(maker: M, name: String) {
        self.maker = maker
        self.name = name
    }

    func value(in scope: Scope) async throws -> M.Value {
        do {
            return try await maker.make(in: scope)
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}

/// Creates a new value each time, with a factory that may depend on itself in ways that only show when it runs.
final class OpaqueTransientSource<M: Maker>: Source {
    private let maker: M
    private let name: String

    init(maker: M, name: String) {
        self.maker = maker
        self.name = name
    }

    func value(in scope: Scope) async throws -> M.Value {
        do {
            return try await Construction.run(ObjectIdentifier(self), name) {
                try await maker.make(in: scope)
            }
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}

/// Creates the shared values of a registration, once per container or once per scope.
///
/// The metatypes are stored because looking up generic metadata costs more than creating the objects.
final class SharedMaker<Value: Sendable>: Sendable {
    let name: String
    let onceType = Once<Value>.self
    let boxType = Made<Value>.self
    private let maker: any Maker<Value>
    /// The type of the last value that was not `Disposable`, because casting each value would cost more.
    private let plainType = Atomic<UInt>(0)

    init(_ maker: any Maker<Value>, name: String) {
        self.maker = maker
        self.name = name
    }

    // Inlined, like the methods of the sources below, because each asynchronous call costs as much as a value.
    /// Creates a value, which the scope disposes of when it ends.
    @inline(__always)
    func make(in scope: Scope) async throws -> Value {
        let value = try await maker.make(in: scope)
        if let disposable = disposable(value) {
            try await scope.storage.keep(disposable)
        } else if scope.storage.hasEnded {
            throw ResolutionError(reason: .scopeEnded)
        }
        return value
    }

    private func disposable(_ value: Value) -> (any Disposable)? {
        let type = UInt(bitPattern: ObjectIdentifier(type(of: value as Any)))
        if plainType.load(ordering: .relaxed) == type { return nil }
        if let disposable = value as? any Disposable { return disposable }
        plainType.store(type, ordering: .relaxed)
        return nil
    }
}

final class SingletonSource<Value: Sendable>: Source {
    private let maker: SharedMaker<Value>
    private let once = Once<Value>()

    init(maker: any Maker<Value>, name: String) {
        self.maker = SharedMaker(maker, name: name)
    }

    func ready(in scope: Scope) -> Value? { once.value }

    func value(in scope: Scope) async throws -> Value {
        if let value = once.value { return value }
        do {
            // A singleton is created from values that live as long as it does, whichever scope resolves it first.
            let scope = Scope(of: scope.container, as: .singletons)
            return try await once.value(by: maker, in: scope, mayFormCycle: true)
        } catch {
            throw ResolutionError.wrap(error, in: maker.name)
        }
    }
}

final class ScopedSource<Value: Sendable>: Source {
    private let maker: SharedMaker<Value>
    private let mayFormCycle: Bool

    /// - Parameter mayFormCycle: As of ``Registration/makeProvider``.
    init(maker: any Maker<Value>, name: String, mayFormCycle: Bool) {
        self.maker = SharedMaker(maker, name: name)
        self.mayFormCycle = mayFormCycle
    }

    func ready(in scope: Scope) -> Value? {
        let once: Once<Value>? = scope.storage.once(for: ObjectIdentifier(self))
        return once?.value
    }

    @inline(__always)
    func value(in scope: Scope) async throws -> Value {
        do {
            guard scope.role != .container, scope.role != .singletons else {
                throw ResolutionError(reason: .scopedOutsideScope)
            }
            let once = try scope.storage.once(for: ObjectIdentifier(self), maker.onceType)
            return try await once.value(by: maker, in: scope, mayFormCycle: mayFormCycle || scope.mayFormCycle)
        } catch {
            throw ResolutionError.wrap(error, in: maker.name)
        }
    }
}
