import Testing

/// Expansions of `@Resolvable` for the stored properties of types without an initializer.
struct ResolvableStoredPropertyTests {
    @Test func `each stored property is resolved by its type, in an extension that keeps the memberwise initializer`() {
        expectExpansion(
            of: """
                @Resolvable
                struct GetInfoHandler: QueryHandler {
                    let api: any Api
                    let limit: Int
                }
                """,
            to: """
                struct GetInfoHandler: QueryHandler {
                    let api: any Api
                    let limit: Int
                }

                extension GetInfoHandler: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(Int.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                        self.limit = try await scope.resolve(Int.self)
                    }
                }
                """
        )
    }

    @Test func `a property with a default value keeps it`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let limit = 5
                    var attempts: Int = 3
                    let (width, height) = (1, 2)
                    let api: any Api
                }
                """,
            to: """
                struct Page {
                    let limit = 5
                    var attempts: Int = 3
                    let (width, height) = (1, 2)
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

    @Test func `an optional is resolved as one, and so is an implicitly unwrapped one`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let logger: Logger?
                    var api: (any Api)?
                    var session: Session!
                    var screen: (any Screen)!
                }
                """,
            to: """
                struct Page {
                    let logger: Logger?
                    var api: (any Api)?
                    var session: Session!
                    var screen: (any Screen)!
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Logger?.self),
                            DuetDependencies.ResolvedDependency((any Api)?.self),
                            DuetDependencies.ResolvedDependency(Session?.self),
                            DuetDependencies.ResolvedDependency((any Screen)?.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.logger = try await scope.resolve(Logger?.self)
                        self.api = try await scope.resolve((any Api)?.self)
                        self.session = try await scope.resolve(Session?.self)
                        self.screen = try await scope.resolve((any Screen)?.self)
                    }
                }
                """
        )
    }

    @Test func `several properties on one line are resolved each by its own type`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    let api: any Api, logger: Logger
                    let first, second: Int
                    let third, fourth: Int, fifth = 5, sixth: String
                }
                """,
            to: """
                struct Page {
                    let api: any Api, logger: Logger
                    let first, second: Int
                    let third, fourth: Int, fifth = 5, sixth: String
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(Logger.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(String.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                        self.logger = try await scope.resolve(Logger.self)
                        self.first = try await scope.resolve(Int.self)
                        self.second = try await scope.resolve(Int.self)
                        self.third = try await scope.resolve(Int.self)
                        self.fourth = try await scope.resolve(Int.self)
                        self.sixth = try await scope.resolve(String.self)
                    }
                }
                """
        )
    }

    @Test func `computed properties are ignored, and properties with observers are stored`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Page {
                    static let shared = 1
                    static var count: Int = 2
                    var computed: Int { 1 }
                    var settable: Int { get { 1 } set {} }
                    lazy var late: Int = 3
                    weak var parent: Screen?
                    var observed: Int {
                        didSet {}
                    }
                    var guarded: Int { willSet {} }
                }
                """,
            to: """
                struct Page {
                    static let shared = 1
                    static var count: Int = 2
                    var computed: Int { 1 }
                    var settable: Int { get { 1 } set {} }
                    lazy var late: Int = 3
                    weak var parent: Screen?
                    var observed: Int {
                        didSet {}
                    }
                    var guarded: Int { willSet {} }
                }

                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Int.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.observed = try await scope.resolve(Int.self)
                        self.guarded = try await scope.resolve(Int.self)
                    }
                }
                """
        )
    }

    @Test func `a weak constant is set`() {
        expectExpansion(
            of: """
                @Resolvable
                final class Page {
                    weak let parent: Screen?
                    unowned let owner: Screen
                }
                """,
            to: """
                final class Page {
                    weak let parent: Screen?
                    unowned let owner: Screen

                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(Screen?.self),
                            DuetDependencies.ResolvedDependency(Screen.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.parent = try await scope.resolve(Screen?.self)
                        self.owner = try await scope.resolve(Screen.self)
                    }
                }

                extension Page: DuetDependencies.Resolvable {
                }
                """
        )
    }

    @Test func `a name is passed to the scope and to the list of dependencies`() {
        expectExpansion(
            of: """
                @Resolvable
                struct Report {
                    @Named("primary") let database: any Database
                    @Named(.replica) let replica: any Database
                    @DuetMacros.Named(Names.third)
                    let third: (any Database)?
                }
                """,
            to: """
                struct Report {
                    let database: any Database
                    let replica: any Database
                    @DuetMacros.Named(Names.third)
                    let third: (any Database)?
                }

                extension Report: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Database).self, named: "primary"),
                            DuetDependencies.ResolvedDependency((any Database).self, named: .replica),
                            DuetDependencies.ResolvedDependency((any Database)?.self, named: Names.third)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.database = try await scope.resolve((any Database).self, named: "primary")
                        self.replica = try await scope.resolve((any Database).self, named: .replica)
                        self.third = try await scope.resolve((any Database)?.self, named: Names.third)
                    }
                }
                """
        )
    }
}
