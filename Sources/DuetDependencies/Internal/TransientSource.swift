/// Makes the value anew each time.
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

/// A source whose values are made by their own type and by nothing else.
protocol SelfMakingSource {
    /// What errors call the value.
    var name: String { get }
}

extension TransientSource: SelfMakingSource where M: SelfMaker {}

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
