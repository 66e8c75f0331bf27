import Testing

/// The expressions that `@Resolvable` generates for different types.
struct ResolvableTypeTests {
    @Test func `a type is parenthesized where its metatype requires it`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let both: any Api & Logging
                    let list: [any Api]
                    let table: [String: Int]
                    let work: @Sendable (Int) async throws -> Void
                    let plain: () -> Int
                    let tuple: (Int, String)
                    let meta: Int.Type
                    let nested: Outer.Inner<Int>
                    let sugar: Optional<Int>
                }
                """,
            to: """
                struct Page {
                    let both: any Api & Logging
                    let list: [any Api]
                    let table: [String: Int]
                    let work: @Sendable (Int) async throws -> Void
                    let plain: () -> Int
                    let tuple: (Int, String)
                    let meta: Int.Type
                    let nested: Outer.Inner<Int>
                    let sugar: Optional<Int>
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api & Logging).self),
                            DuetDependencies.ResolvedDependency([any Api].self),
                            DuetDependencies.ResolvedDependency([String: Int].self),
                            DuetDependencies.ResolvedDependency((@Sendable (Int) async throws -> Void).self),
                            DuetDependencies.ResolvedDependency((() -> Int).self),
                            DuetDependencies.ResolvedDependency((Int, String).self),
                            DuetDependencies.ResolvedDependency((Int.Type).self),
                            DuetDependencies.ResolvedDependency(Outer.Inner<Int>.self),
                            DuetDependencies.ResolvedDependency(Optional<Int>.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.both = try await scope.resolve((any Api & Logging).self)
                        self.list = try await scope.resolve([any Api].self)
                        self.table = try await scope.resolve([String: Int].self)
                        self.work = try await scope.resolve((@Sendable (Int) async throws -> Void).self)
                        self.plain = try await scope.resolve((() -> Int).self)
                        self.tuple = try await scope.resolve((Int, String).self)
                        self.meta = try await scope.resolve((Int.Type).self)
                        self.nested = try await scope.resolve(Outer.Inner<Int>.self)
                        self.sugar = try await scope.resolve(Optional<Int>.self)
                    }
                }
                """
        )
    }

    @Test func `names that are keywords or occur in the generated code can be resolved`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let `default`: Int
                    let scope: Scope
                    let dependencies: Int
                }
                """,
            to: """
                struct Page {
                    let `default`: Int
                    let scope: Scope
                    let dependencies: Int
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Scope.self),
                            DuetDependencies.ResolvedDependency(Int.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.`default` = try await scope.resolve(Int.self)
                        self.scope = try await scope.resolve(Scope.self)
                        self.dependencies = try await scope.resolve(Int.self)
                    }
                }
                """
        )
    }

    @Test func `attributes and modifiers that do not change storage are allowed`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Page {
                    private let api: any Api
                    @MainActor private(set) var title: String
                    @available(*, deprecated) nonisolated let old: Int
                }
                """,
            to: """
                final class Page {
                    private let api: any Api
                    @MainActor private(set) var title: String
                    @available(*, deprecated) nonisolated let old: Int

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(String.self),
                            DuetDependencies.ResolvedDependency(Int.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                        self.title = try await scope.resolve(String.self)
                        self.old = try await scope.resolve(Int.self)
                    }
                }

                extension Page: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `the extension is as available as the type`() {
        expectExpansion(
            of: """
                @available(macOS 16, *)
                @Resolvable
                struct Page {
                    let work: nonisolated(nonsending) () async -> Void
                }
                """,
            to: """
                @available(macOS 16, *)
                struct Page {
                    let work: nonisolated(nonsending) () async -> Void
                }

                @available(macOS 16, *)
                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((nonisolated(nonsending) () async -> Void).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.work = try await scope.resolve((nonisolated(nonsending) () async -> Void).self)
                    }
                }
                """
        )
    }

    @Test func `a type without dependencies gets an empty list`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Clock {}
                """,
            to: """
                struct Clock {}

                extension Clock: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                    }
                }
                """
        )
    }

    @Test func `generic and nested types are resolved like any other`() {
        expectExpansion(
            of: """
                @Resolvable
                struct LoadFeedHandler<Store: FeedStore> where Store: Sendable {
                    let store: Store

                    @Resolvable
                    struct Options {
                        let stores: [Store]
                    }
                }
                """,
            to: """
                struct LoadFeedHandler<Store: FeedStore> where Store: Sendable {
                    let store: Store
                    struct Options {
                        let stores: [Store]
                    }
                }

                extension LoadFeedHandler.Options: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency([Store].self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.stores = try await scope.resolve([Store].self)
                    }
                }

                extension LoadFeedHandler: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency(Store.self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.store = try await scope.resolve(Store.self)
                    }
                }
                """
        )
    }

    @Test func `a final class without dependencies keeps its implicit initializer`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Counter {
                    var count = 0
                }
                """,
            to: """
                final class Counter {
                    var count = 0

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    convenience init(from scope: DuetDependencies.Scope) async throws {
                        self.init()
                    }
                }

                extension Counter: DuetDependencies.Resolvable {
                }
                """
        )
    }
}
