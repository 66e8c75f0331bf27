import Testing

/// Expansions of `@Resolvable` for subclasses of resolvable classes, and their access levels.
struct ResolvableSubclassTests {
    @Test func `a subclass of a resolvable class adds to what its superclass needs`() {
        expectExpansion(
            of: """
                @Resolvable
                class FeedScreen: Screen {
                    let loader: any FeedLoader
                }
                """,
            to: """
                class FeedScreen: Screen {
                    let loader: any FeedLoader

                    nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                        super.dependencies + [DuetDependencies.ResolvedDependency((any FeedLoader).self)]
                    }

                    @inline(__always)
                    required init(from scope: DuetDependencies.Scope) async throws {
                        self.loader = try await scope.resolve((any FeedLoader).self)
                        Screen._resolvesSubclass(of: Screen.self)
                        try await super.init(from: scope)
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `a final subclass of a generic resolvable class also adds its dependencies`() {
        expectExpansion(
            of: """
                @Resolvable
                final class FeedScreen: Screen<Feed>, Sendable {
                    @Named("feed") let loader: any FeedLoader
                }
                """,
            to: """
                final class FeedScreen: Screen<Feed>, Sendable {
                    let loader: any FeedLoader

                    nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                        super.dependencies + [DuetDependencies.ResolvedDependency((any FeedLoader).self, named: "feed")]
                    }

                    @inline(__always)
                    required init(from scope: DuetDependencies.Scope) async throws {
                        self.loader = try await scope.resolve((any FeedLoader).self, named: "feed")
                        Screen<Feed>._resolvesSubclass(of: Screen<Feed>.self)
                        try await super.init(from: scope)
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `a subclass with an initializer needs only the parameters of that initializer`() {
        expectExpansion(
            of: """
                @Resolvable
                final class FeedScreen: Screen {
                    init(api: any Api) { super.init(title: "") }
                }
                """,
            to: """
                final class FeedScreen: Screen {
                    init(api: any Api) { super.init(title: "") }

                    nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    required convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `a subclass that adds no dependency inherits the initializer`() {
        expectExpansion(
            of: """
                @Resolvable
                final class FeedScreen: Screen {
                    var title = "Feed"
                }
                """,
            to: """
                final class FeedScreen: Screen {
                    var title = "Feed"
                }
                """,
            isConforming: true
        )
    }

    @Test func `a class that declares Resolvable itself is not a subclass of a resolvable class`() {
        expectExpansion(
            of: """
                @Resolvable
                final class HomeScreen: Screen, Resolvable {
                    let api: any Api
                }
                """,
            to: """
                final class HomeScreen: Screen, Resolvable {
                    let api: any Api

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `a struct that conforms already gets the members without a second conformance`() {
        expectExpansion(
            of: """
                @Resolvable
                struct HomePage: Page {
                    let api: any Api
                }
                """,
            to: """
                struct HomePage: Page {
                    let api: any Api
                }

                extension HomePage {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `members are as visible as the type requires`() {
        expectExpansion(
            of: """
                @Resolvable
                public struct Public {
                    let api: any Api
                }
                @Resolvable
                package final class Package {
                    let api: any Api
                }
                @Resolvable
                private struct Private {
                    let api: any Api
                }
                @Resolvable
                open class Open {
                    let api: any Api
                }
                @Resolvable
                public class PublicWithInitializer {
                    init(api: any Api) {}
                }
                """,
            to: """
                public struct Public {
                    let api: any Api
                }
                package final class Package {
                    let api: any Api

                    package nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    package init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                private struct Private {
                    let api: any Api
                }
                open class Open {
                    let api: any Api

                    open nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    public required init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                public class PublicWithInitializer {
                    init(api: any Api) {}

                    public nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    public required convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }

                    @available(*, noasync, message: "'PublicWithInitializer' is created by its own 'init(api:)', so the subclass needs an initializer that calls it")
                    public nonisolated static func _resolvesSubclass(of type: PublicWithInitializer.Type) {
                    }
                }

                extension Public: DuetDependencies.Resolvable {
                    public nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    public init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }

                extension Package: DuetDependencies.Resolvable {
                }

                extension Private: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }

                extension Open: DuetDependencies.Resolvable {
                }

                extension PublicWithInitializer: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `an open subclass has an open list`() {
        expectExpansion(
            of: """
                @Resolvable
                open class FeedScreen: Screen {
                    let loader: any FeedLoader
                }
                """,
            to: """
                open class FeedScreen: Screen {
                    let loader: any FeedLoader

                    open nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                        super.dependencies + [DuetDependencies.ResolvedDependency((any FeedLoader).self)]
                    }

                    @inline(__always)
                    public required init(from scope: DuetDependencies.Scope) async throws {
                        self.loader = try await scope.resolve((any FeedLoader).self)
                        Screen._resolvesSubclass(of: Screen.self)
                        try await super.init(from: scope)
                    }
                }
                """,
            isConforming: true
        )
    }

    @Test func `an actor sets its properties in its declaration`() {
        expectExpansion(
            of: """
                @Resolvable
                public actor Session {
                    let api: any Api
                    var count = 0
                }
                """,
            to: """
                public actor Session {
                    let api: any Api
                    var count = 0

                    public nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    public init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }

                extension Session: DuetDependencies.Resolvable {
                }
                """
        )
    }
}
