/// Registrations that belong together: a feature, a server, a client.
///
/// ```swift
/// struct FeedModule: ContainerModule {
///     let baseURL: URL
///
///     func register(in builder: ContainerBuilder) {
///         builder.singleton((any FeedStore).self) { InMemoryFeedStore() }
///     }
/// }
/// ```
///
/// What a module leaves open, because another module registers it, is checked when the container is built. A test installs
/// the module alone, beside what that other module would give.
public protocol ContainerModule {
    /// Registers what belongs to this module, and may install others.
    func register(in builder: ContainerBuilder)
}
