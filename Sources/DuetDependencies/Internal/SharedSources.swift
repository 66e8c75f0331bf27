import Synchronization

/// Makes the values of a registration that are shared: once in a container or once in a scope.
///
/// The metatypes are stored because looking up generic metadata costs more than the objects themselves.
final class SharedMaker<Value: Sendable>: Sendable {
    let name: String
    let onceType = Once<Value>.self
    let boxType = Made<Value>.self
    private let maker: any Maker<Value>
    /// The type of the last value that needed no disposal: a cast of each value would cost more.
    private let plainType = Atomic<UInt>(0)

    init(_ maker: any Maker<Value>, name: String) {
        self.maker = maker
        self.name = name
    }

    // Inlined, like the sources' methods below: each asynchronous call costs as much as a value.
    /// A new value, which the scope disposes of when it ends.
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

/// Makes the value once in a container.
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
            // A singleton is made from what lives as long as it does, whichever scope asks first.
            return try await once.value(
                by: maker,
                in: Scope(makingSingletonsOf: scope.container),
                mayCloseRing: true
            )
        } catch {
            throw ResolutionError.wrap(error, in: maker.name)
        }
    }
}

extension SingletonSource: SendableSource {
    func sendableValue(in scope: Scope) async throws -> any Sendable {
        SendableValue(value: try await value(in: scope))
    }
}

/// Makes the value once in each scope.
final class ScopedSource<Value: Sendable>: Source {
    private let maker: SharedMaker<Value>
    private let mayCloseRing: Bool

    /// - Parameter mayCloseRing: Whether anything that the value needs may resolve more than it declares.
    init(maker: any Maker<Value>, name: String, mayCloseRing: Bool) {
        self.maker = SharedMaker(maker, name: name)
        self.mayCloseRing = mayCloseRing
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
            return try await once.value(by: maker, in: scope, mayCloseRing: mayCloseRing || scope.mayCloseRing)
        } catch {
            throw ResolutionError.wrap(error, in: maker.name)
        }
    }
}
