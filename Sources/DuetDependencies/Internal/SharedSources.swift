/// Makes the value once in a container.
final class SingletonSource<Value: Sendable>: Source {
    private let maker: any Maker<Value>
    private let name: String
    private let once = Once<Value>()

    init(maker: any Maker<Value>, name: String) {
        self.maker = maker
        self.name = name
    }

    func ready() -> Value? { once.value }

    func value(in scope: Scope) async throws -> Value {
        if let value = once.value { return value }
        return try await made(in: scope.container)
    }

    private func made(in container: ContainerCore) async throws -> Value {
        do {
            return try await once.value(name: name, constructions: container.constructions) { [maker] in
                // Whoever asks first, a singleton is made from what lives as long as it does.
                let scope = Scope(makingSingletonsOf: container)
                let value = try await maker.make(in: scope)
                return try await scope.storage.keep(value)
            }
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}

extension SingletonSource: SendableSource {
    func sendableValue(in scope: Scope) async throws -> any Sendable {
        SendableValue(value: try await value(in: scope))
    }
}

/// Makes the value once in each scope.
final class ScopedSource<M: Maker>: Source where M.Value: Sendable {
    private let maker: M
    private let name: String

    init(maker: M, name: String) {
        self.maker = maker
        self.name = name
    }

    func value(in scope: Scope) async throws -> M.Value {
        do {
            guard scope.role != .container, scope.role != .singletons else {
                throw ResolutionError(reason: .scopedOutsideScope)
            }
            let once: Once<M.Value> = try scope.storage.once(for: ObjectIdentifier(self))
            if let value = once.value { return value }
            return try await once.value(name: name, constructions: scope.container.constructions) { [maker] in
                try await scope.storage.keep(try await maker.make(in: scope))
            }
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}
