public import DuetDependencies

/// Runs `body` with a container of modules and overrides, and disposes of the container afterward, even after an error.
///
/// ```swift
/// let fake = Override((any NoteStore).self) { leaks.track(FakeNoteStore()) }
/// let notes = try await withContainer(of: NotesModule(), overriding: fake) { container in
///     let dispatcher = try await container.dispatcher
///     try await dispatcher.dispatch(AddNote(text: "Milk"))
///     return try await dispatcher.dispatch(ListNotes(after: 0))
/// }
/// ```
///
/// Concurrent tests share nothing of the container. If a module needs types that another module registers, pass that
/// module too, or a small module of the test.
///
/// - Parameters:
///   - modules: The modules to install.
///   - overrides: Replacements for registrations, each created once in the container.
///   - body: Uses the container, which ends when `body` returns or throws.
/// - Throws: `InvalidContainer` if the modules and overrides do not fit together, or the error of `body`.
public func withContainer<R>(
    of modules: any ContainerModule...,
    overriding overrides: Override...,
    body: (Container) async throws -> R
) async throws -> R {
    let builder = ContainerBuilder()
    for module in modules { builder.install(module) }
    return try await builder.build().overriding(overrides).ending(after: body)
}
