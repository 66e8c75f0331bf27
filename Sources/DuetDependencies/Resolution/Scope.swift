/// Where things are made, and how long they live.
public final class Scope: Sendable {
    /// Makes, or finds, a value of a type.
    public func resolve<T>(_ type: T.Type = T.self, named name: DependencyName? = nil) async throws -> T {
        fatalError()
    }
}
