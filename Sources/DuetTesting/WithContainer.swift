public import DuetDependencies

/// Runs `body` with a container of its own, made of modules and overrides, and disposes of it however `body` ends.
///
/// ```swift
/// try await withContainer(of: FeedModule(), overriding: Override((any Api).self) { FakeApi() }) { container in
///     let dispatcher: any CommandQueryDispatcher = try await container.resolve()
///     …
/// }
/// ```
///
/// Tests that run at the same time share nothing of it. A module that needs what another one registers is given that one
/// too, or a small one of the test's own.
///
/// - Parameters:
///   - modules: What the container is made of.
///   - overrides: What takes the place of registrations of theirs, each made once in the container.
///   - body: Uses the container. Nothing can be resolved from it afterwards.
/// - Throws: `InvalidContainer` when the modules or overrides do not fit together; what `body` throws.
public func withContainer<R>(
    of modules: any ContainerModule...,
    overriding overrides: Override...,
    body: (Container) async throws -> R
) async throws -> R {
    let builder = ContainerBuilder()
    for module in modules { builder.install(module) }
    return try await builder.build().overriding(overrides).ending(after: body)
}
