/// Takes the place of a registration within one scope, or in a container that is made for a test.
///
/// ```swift
/// let scope = try container.makeScope(overriding: Override((any Api).self) { FakeApi() })
/// ```
///
/// It is made once in the scope or container that it was given to, when it is first needed.
public struct Override: Sendable {
    let scoped: Registration
    /// The same for a container.
    let singleton: @Sendable () -> Registration

    /// Overrides what is registered for a type.
    ///
    /// - Parameters:
    ///   - contract: The type that was registered.
    ///   - name: The name that it was registered under.
    ///   - factory: Makes what takes its place; its parameters are resolved.
    public init<T: Sendable, each D>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
    ) {
        let key = DependencyKey(contract, name)
        let maker = FactoryMaker(factory)
        let location = SourceLocation(fileID: fileID, line: line)
        scoped = Registration(scoped: maker, key, location)
        singleton = { Registration(singleton: maker, key, location) }
    }
}
