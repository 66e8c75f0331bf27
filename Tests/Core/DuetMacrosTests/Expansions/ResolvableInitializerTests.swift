import Testing

/// Expansions of `@Resolvable` for types with an initializer.
struct ResolvableInitializerTests {
    @Test func `the only initializer is called with its parameters resolved`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    let url: URL
                    init(api: any Api, for name: String, _ limit: Int, _: Bool) {
                        url = api.url
                    }
                }
                """,
            to: """
                struct Session {
                    let url: URL
                    init(api: any Api, for name: String, _ limit: Int, _: Bool) {
                        url = api.url
                    }
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(String.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Bool.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(
                            api: scope.resolve((any Api).self),
                            for: scope.resolve(String.self),
                            scope.resolve(Int.self),
                            scope.resolve(Bool.self)
                        )
                    }
                }
                """
        )
    }

    @Test func `parameters with a default value keep it`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(api: any Api, limit: Int = 5, isolation: isolated (any Actor)? = #isolation) {}
                }
                """,
            to: """
                struct Session {
                    init(api: any Api, limit: Int = 5, isolation: isolated (any Actor)? = #isolation) {}
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                """
        )
    }

    @Test func `optional parameters are resolved as optional`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(logger: Logger?, api: (any Api)!) {}
                }
                """,
            to: """
                struct Session {
                    init(logger: Logger?, api: (any Api)!) {}
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Logger?.self),
                            DuetDependencies.ResolvedDependency((any Api)?.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(
                            logger: scope.resolve(Logger?.self),
                            api: scope.resolve((any Api)?.self)
                        )
                    }
                }
                """
        )
    }

    @Test func `one try await covers the arguments, whatever the initializer's effects are`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(api: any Api) async throws {}
                }
                """,
            to: """
                struct Session {
                    init(api: any Api) async throws {}
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                """
        )
    }

    @Test func `without arguments, try and await are what the initializer needs`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Plain {
                    init() {}
                }
                @Resolvable
                struct Throwing {
                    init() throws {}
                }
                @Resolvable
                struct Asynchronous {
                    init() async {}
                }
                @Resolvable
                struct Both {
                    init() async throws(Failure) {}
                }
                """,
            to: """
                struct Plain {
                    init() {}
                }
                struct Throwing {
                    init() throws {}
                }
                struct Asynchronous {
                    init() async {}
                }
                struct Both {
                    init() async throws(Failure) {}
                }

                extension Plain: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.init()
                    }
                }

                extension Throwing: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try self.init()
                    }
                }

                extension Asynchronous: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        await self.init()
                    }
                }

                extension Both: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        []
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init()
                    }
                }
                """
        )
    }

    @Test func `specifiers for passing an argument are not part of the resolved type`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(
                        a: consuming Counter,
                        b: borrowing Counter,
                        c: sending Counter,
                        d: @escaping @Sendable () -> Void,
                        e: @escaping () async -> Void,
                        f: __owned [Int],
                        g: nonisolated(nonsending) @escaping () async -> Void
                    ) {}
                }
                """,
            to: """
                struct Session {
                    init(
                        a: consuming Counter,
                        b: borrowing Counter,
                        c: sending Counter,
                        d: @escaping @Sendable () -> Void,
                        e: @escaping () async -> Void,
                        f: __owned [Int],
                        g: nonisolated(nonsending) @escaping () async -> Void
                    ) {}
                }

                extension Session: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Counter.self),
                            DuetDependencies.ResolvedDependency(Counter.self),
                            DuetDependencies.ResolvedDependency(Counter.self),
                            DuetDependencies.ResolvedDependency((@Sendable () -> Void).self),
                            DuetDependencies.ResolvedDependency((() async -> Void).self),
                            DuetDependencies.ResolvedDependency([Int].self),
                            DuetDependencies.ResolvedDependency((nonisolated(nonsending) () async -> Void).self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(
                            a: scope.resolve(Counter.self),
                            b: scope.resolve(Counter.self),
                            c: scope.resolve(Counter.self),
                            d: scope.resolve((@Sendable () -> Void).self),
                            e: scope.resolve((() async -> Void).self),
                            f: scope.resolve([Int].self),
                            g: scope.resolve((nonisolated(nonsending) () async -> Void).self)
                        )
                    }
                }
                """
        )
    }
}
