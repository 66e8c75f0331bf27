import Testing

/// The isolation of the initializer that `@Resolvable` generates.
struct ResolvableIsolationTests {
    @Test func `without an isolated type, the module's default isolation applies`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let api: any Api
                }
                """,
            to: """
                struct Page {
                    let api: any Api
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                """
        )
    }

    @Test func `the global actor of a type is repeated`() {
        expectExpansion(
            of: """
                @Resolvable
                @MainActor
                final class Screen: QueryHandler {
                    let api: any Api

                    @MainActor
                    func handle(_ query: GetInfo) async throws -> Info { Info() }
                }
                @Resolvable @MainActor
                struct Page {
                    let api: any Api
                }
                """,
            to: """
                @MainActor
                final class Screen: QueryHandler {
                    let api: any Api

                    @MainActor
                    func handle(_ query: GetInfo) async throws -> Info { Info() }

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    @MainActor init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                @MainActor
                struct Page {
                    let api: any Api
                }

                extension Screen: DuetDependencies.Resolvable {
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    @MainActor init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                """
        )
    }

    @Test func `any attribute that ends in Actor is treated as a global actor`() {
        expectExpansion(
            of: """
                @Resolvable
                @Storage.DatabaseActor
                final class Store {
                    let path: String
                }
                """,
            to: """
                @Storage.DatabaseActor
                final class Store {
                    let path: String

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency(String.self)]
                    }

                    @inline(__always)
                    @Storage.DatabaseActor init(from scope: DuetDependencies.Scope) async throws {
                        self.path = try await scope.resolve(String.self)
                    }
                }

                extension Store: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `the isolation of the initializer that is used comes first`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Screen {
                    @MainActor init(api: any Api) {}
                }
                @Resolvable
                @DatabaseActor
                class Store {
                    @MainActor init(api: any Api) {}
                }
                """,
            to: """
                final class Screen {
                    @MainActor init(api: any Api) {}

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    @MainActor convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                @DatabaseActor
                class Store {
                    @MainActor init(api: any Api) {}

                    nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    @MainActor required convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }

                    @available(*, noasync, message: "'Store' is created by its own 'init(api:)', so the subclass needs an initializer that calls it")
                    nonisolated static func _resolvesSubclass(of type: Store.Type) {
                    }
                }

                extension Screen: DuetDependencies.Resolvable {
                }

                extension Store: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `a nonisolated type has an initializer that runs on its caller's actor`() {
        expectExpansion(
            of: """
                @Resolvable
                nonisolated final class Store {
                    let path: String
                }
                @Resolvable
                nonisolated struct Page {
                    init(api: any Api) {}
                }
                """,
            to: """
                nonisolated final class Store {
                    let path: String

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency(String.self)]
                    }

                    @inline(__always)
                    nonisolated(nonsending) init(from scope: DuetDependencies.Scope) async throws {
                        self.path = try await scope.resolve(String.self)
                    }
                }
                nonisolated struct Page {
                    init(api: any Api) {}
                }

                extension Store: DuetDependencies.Resolvable {
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    nonisolated(nonsending) init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                """
        )
    }

    @Test func `a subclass on the main actor stays there`() {
        expectExpansion(
            of: """
                @Resolvable
                @MainActor
                final class FeedScreen: Screen {
                    let loader: any FeedLoader
                }
                """,
            to: """
                @MainActor
                final class FeedScreen: Screen {
                    let loader: any FeedLoader

                    nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                        super.dependencies + [DuetDependencies.ResolvedDependency((any FeedLoader).self)]
                    }

                    @inline(__always)
                    @MainActor required init(from scope: DuetDependencies.Scope) async throws {
                        self.loader = try await scope.resolve((any FeedLoader).self)
                        Screen._resolvesSubclass(of: Screen.self)
                        try await super.init(from: scope)
                    }
                }
                """,
            isConforming: true
        )
    }
}
