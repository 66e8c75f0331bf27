/// Makes the value anew each time.
struct TransientSource<M: Maker>: Source {
    let maker: M
    let name: String

    func value(in scope: Scope) async throws -> M.Value {
        do {
            return try await maker.make(in: scope)
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}

/// Makes the value anew each time, by a factory that may come back to itself by ways that nobody knows beforehand.
final class OpaqueTransientSource<M: Maker>: Source {
    private let maker: M
    private let name: String

    init(maker: M, name: String) {
        self.maker = maker
        self.name = name
    }

    func value(in scope: Scope) async throws -> M.Value {
        do {
            return try await Construction.run(ObjectIdentifier(self), name, isShared: false) {
                try await maker.make(in: scope)
            }
        } catch {
            throw ResolutionError.wrap(error, in: name)
        }
    }
}
