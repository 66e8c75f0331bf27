import Testing

/// Expansions of `@Resolvable` for classes and access levels.
struct ResolvableClassTests {
    @Test func `a class that is not final has a required initializer and a list that can be overridden`() {
        expectExpansion(
            of: """
                @Resolvable
                class Screen {
                    let api: any Api
                }
                """,
            to: """
                class Screen {
                    let api: any Api

                    nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    required init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }

                extension Screen: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `a final class has neither`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Screen {
                    let api: any Api
                }
                """,
            to: """
                final class Screen {
                    let api: any Api

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                    }
                }

                extension Screen: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `a class with an initializer has a convenience one, and a subclass needs its own`() {
        expectExpansion(
            of: """
                @Resolvable
                class Screen {
                    init(api: any Api) {}
                }
                """,
            to: """
                class Screen {
                    init(api: any Api) {}

                    nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                        [DuetDependencies.ResolvedDependency((any Api).self)]
                    }

                    @inline(__always)
                    required convenience init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(api: scope.resolve((any Api).self))
                    }

                    @available(*, noasync, message: "'Screen' is created by its own 'init(api:)', so the subclass needs an initializer that calls it")
                    nonisolated static func _resolvesSubclass(of type: Screen.Type) {
                    }
                }

                extension Screen: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `a final class with an initializer has a convenience one`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Screen {
                    init(api: any Api) {}
                }
                """,
            to: """
                final class Screen {
                    init(api: any Api) {}

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
}
