import Testing

/// The initializer that `@Resolvable` chooses, and the hand-written members that it keeps.
struct ResolvableInitializerChoiceTests {
    @Test func `the marked initializer is used where there are several`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Session {
                    init(path: String) {}
                    @Inject init(api: any Api) {}
                }
                """,
            to: """
                struct Session {
                    init(path: String) {}
                    init(api: any Api) {}
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

    @Test func `a convenience initializer is used only where it is marked`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Session {
                    init(api: any Api) {}
                    convenience init(path: String) { self.init(api: File(path)) }
                }
                @Resolvable
                final class Other {
                    init(api: any Api) {}
                    @Inject convenience init(path: String) { self.init(api: File(path)) }
                }
                """,
            to: """
                final class Session {
                    init(api: any Api) {}
                    convenience init(path: String) { self.init(api: File(path)) }

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }
                final class Other {
                    init(api: any Api) {}
                    convenience init(path: String) { self.init(api: File(path)) }

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency(String.self)]
                    }

                    @inline(__always)
                    convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(path: scope.resolve(String.self))
                    }
                }

                extension Session: DuetDependencies.Resolvable {
                }

                extension Other: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `an initializer that may return nil is ignored if there is another`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Screen {
                    init(api: any Api) {}
                    required init?(coder: NSCoder) { nil }
                }
                """,
            to: """
                final class Screen {
                    init(api: any Api) {}
                    required init?(coder: NSCoder) { nil }

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }

                extension Screen: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `an initializer of an actor is called`() {
        expectExpansion(
            of: """
                @Resolvable
                actor Session {
                    init(api: any Api) {}
                }
                """,
            to: """
                actor Session {
                    init(api: any Api) {}

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }
                }

                extension Session: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `an initializer that decodes is not mistaken for the one from a scope`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Settings {
                    init(from decoder: any Decoder) throws {}
                    @Inject init(store: any Store) {}
                }
                """,
            to: """
                struct Settings {
                    init(from decoder: any Decoder) throws {}
                    init(store: any Store) {}
                }

                extension Settings: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Store).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(store: scope.resolve((any Store).self))
                    }
                }
                """
        )
    }

    @Test func `hand-written members are not generated`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Manual {
                    let api: any Api
                    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Api).self)] }
                    init(from scope: Scope) async throws {
                        api = try await scope.resolve()
                    }
                }
                @Resolvable
                struct Half {
                    let api: any Api
                    static var dependencies: [DuetDependencies.ResolvedDependency] { [ResolvedDependency(Int.self)] }
                }
                """,
            to: """
                struct Manual {
                    let api: any Api
                    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Api).self)] }
                    init(from scope: Scope) async throws {
                        api = try await scope.resolve()
                    }
                }
                struct Half {
                    let api: any Api
                    static var dependencies: [DuetDependencies.ResolvedDependency] { [ResolvedDependency(Int.self)] }
                }

                extension Manual: DuetDependencies.Resolvable {
                }

                extension Half: DuetDependencies.Resolvable {
                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }
                """
        )
    }
}
