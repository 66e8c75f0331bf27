/// Replaces a registration within one scope, or in a container for a test.
///
/// ```swift
/// let test = try container.overriding(Override((any NoteStore).self) { InMemoryNoteStore(["Test"]) })
/// let tested = try await test.dispatcher.dispatch(ListNotes())
/// ```
///
/// The value is created once in that scope or container, when it is first needed.
public struct Override: Sendable {
    let scoped: Registration
    /// The registration for a container.
    let singleton: @Sendable () -> Registration

    /// Creates an override of the registration of a type.
    ///
    /// - Parameters:
    ///   - contract: The registered type.
    ///   - name: The name of the registration, if any.
    ///   - fileID: The file of the override, which errors name.
    ///   - line: The line of the override, which errors name.
    ///   - factory: Creates the replacement; its parameters are resolved.
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
