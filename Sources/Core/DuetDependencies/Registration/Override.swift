/// Replaces a registration within one scope, or in a container for a test.
///
/// ```swift
/// let test = try container.overriding(Override((any NoteStore).self) { InMemoryNoteStore(["Test"]) })
/// let tested = try await test.dispatcher.dispatch(ListNotes())
/// ```
///
/// The value is created once in that scope or container, when it is first needed.
public struct Override: Sendable {
    let registration: Registration

    /// Creates an override of the registration of a type, with a factory whose parameters are its dependencies.
    public init<T: Sendable, each D>(
        _ contract: T.Type = T.self,
        named name: DependencyName? = nil,
        fileID: String = #fileID,
        line: Int = #line,
        _ factory: @escaping @Sendable @concurrent (repeat each D) async throws -> T
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        registration = Registration(shared: FactoryMaker(factory), .scoped, named: name, location)
    }
}
