import Testing

/// A declaration with a macro, and what the macro writes for it.
struct Expansion: CustomTestStringConvertible {
    /// The promise that the declaration shows.
    let testDescription: String
    /// The name of the declared type, without the name of a macro in it.
    let type: String
    let source: String
    let expanded: String

    init(_ promise: String, of type: String, _ source: String, to expanded: String) {
        testDescription = promise
        self.type = type
        self.source = source
        self.expanded = expanded
    }
}

extension Expansion {
    static let all = [
        Expansion(
            "each handler has a method, and all of them form a dispatcher",
            of: "Handlers",
            """
            @Dispatcher struct Handlers<H: QueryHandler & Sendable> {
                let generic: H, post: (any Sendable & Duet.CommandHandler<Post>)
                var `repeat`: LoadHandler = LoadHandler()
                var count: Int { 2 }
            }
            """,
            to: """
                @inline(__always)
                nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<H>) async throws -> \
                DuetMacros.HandledMessage<H>.Value {
                    // If this is a redeclaration, another property handles the message of 'generic', too.
                    try await self.generic.handle(message)
                }

                @inline(__always)
                nonisolated(nonsending) func dispatch(_ message: Post) async throws -> Post.Value {
                    // If this is a redeclaration, another property handles the message of 'post', too.
                    try await self.post.handle(message)
                }

                @inline(__always)
                nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<LoadHandler>) async throws \
                -> DuetMacros.HandledMessage<LoadHandler>.Value {
                    // If this is a redeclaration, another property handles the message of '`repeat`', too.
                    try await self.`repeat`.handle(message)
                }

                @available(*, unavailable, message: "Handlers has no handler for this message. Add a property with \
                one.")
                nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                    _ message: UnhandledMessage,
                    _: Void = ()
                ) async throws -> UnhandledMessage.Value {
                    throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
                }

                nonisolated var dispatcher: any Duet.Dispatcher {
                    get throws {
                        try Duet.StandardDispatcher {
                            self.generic
                            self.post
                            self.`repeat`
                        }
                    }
                }
                """
        ),
        Expansion(
            "members are as visible as the type, with hints, and a dispatcher can be resolvable",
            of: "Visible",
            """
            @Resolvable @Dispatcher public struct Visible {
                private let load: LoadHandler
                let post: any CommandHandler<Post> & Sendable
            }
            """,
            to: """
                @inline(__always)
                public nonisolated(nonsending) func dispatch(_ message: DuetMacros.HandledMessage<LoadHandler>) async \
                throws -> DuetMacros.HandledMessage<LoadHandler>.Value {
                    // If this is a redeclaration, another property handles the message of 'load', too.
                    // A public dispatcher needs a public and Sendable handler 'load' with a public 'handle'.
                    try await self.load.handle(message)
                }

                @inline(__always)
                public nonisolated(nonsending) func dispatch(_ message: Post) async throws -> Post.Value {
                    // If this is a redeclaration, another property handles the message of 'post', too.
                    // A public dispatcher needs a public message for 'post'.
                    try await self.post.handle(message)
                }

                @available(*, unavailable, message: "Visible has no handler for this message. Add a property with one.")
                public nonisolated(nonsending) func dispatch<UnhandledMessage: Duet.Message>(
                    _ message: UnhandledMessage,
                    _: Void = ()
                ) async throws -> UnhandledMessage.Value {
                    throw Duet.DispatchError.handlerNotFound(message: UnhandledMessage.messageName)
                }

                public nonisolated var dispatcher: any Duet.Dispatcher {
                    get throws {
                        try Duet.StandardDispatcher {
                            self.load
                            self.post
                        }
                    }
                }

                extension Visible: DuetDependencies.Resolvable {
                    public nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency(LoadHandler.self),
                            DuetDependencies.ResolvedDependency((any CommandHandler<Post> & Sendable).self)
                        ]
                    }

                    @inline(__always)
                    public init(from scope: DuetDependencies.Scope) async throws {
                        self.load = try await scope.resolve(LoadHandler.self)
                        self.post = try await scope.resolve((any CommandHandler<Post> & Sendable).self)
                    }
                }
                """
        ),
        Expansion(
            "stored properties without a value are resolved, in an extension as available as the type",
            of: "Page",
            """
            @available(macOS 15, *) @Resolvable struct Page {
                let api: any Api, first, second: Int
                @Named(.replica) let replica: (any Api)?
                // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
                var implicit: (any Api)!
                let work: @Sendable (Int) async -> Void
                let `default`: [String: Int]
                var observed: Int { didSet {} }
                var limit = 5
                static let shared = 1
                var computed: Int { 1 }
                lazy var late = 2
                weak var parent: Loader?
                weak let origin: Loader?
            }
            """,
            to: """
                @available(macOS 15, *)
                extension Page: DuetDependencies.Resolvable {
                    nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency((any Api)?.self, named: .replica),
                            DuetDependencies.ResolvedDependency((any Api)?.self),
                            DuetDependencies.ResolvedDependency((@Sendable (Int) async -> Void).self),
                            DuetDependencies.ResolvedDependency([String: Int].self),
                            DuetDependencies.ResolvedDependency(Int.self),
                            DuetDependencies.ResolvedDependency(Loader?.self)
                        ]
                    }

                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.api = try await scope.resolve((any Api).self)
                        self.first = try await scope.resolve(Int.self)
                        self.second = try await scope.resolve(Int.self)
                        self.replica = try await scope.resolve((any Api)?.self, named: .replica)
                        self.implicit = try await scope.resolve((any Api)?.self)
                        self.work = try await scope.resolve((@Sendable (Int) async -> Void).self)
                        self.`default` = try await scope.resolve([String: Int].self)
                        self.observed = try await scope.resolve(Int.self)
                        self.origin = try await scope.resolve(Loader?.self)
                    }
                }
                """
        ),
        Expansion(
            "the only initializer that cannot return nil is called, without what has a default value",
            of: "Session",
            """
            @Resolvable public struct Session {
                init(
                    api: consuming any Api,
                    for name: String?,
                    _ work: nonisolated(nonsending) @escaping () async -> Void,
                    limit: Int = 5
                ) {}
                init?(number: Int) { nil }
            }
            """,
            to: """
                extension Session: DuetDependencies.Resolvable {
                    public nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                        [
                            DuetDependencies.ResolvedDependency((any Api).self),
                            DuetDependencies.ResolvedDependency(String?.self),
                            DuetDependencies.ResolvedDependency((nonisolated(nonsending) () async -> Void).self)
                        ]
                    }

                    @inline(__always)
                    public init(from scope: DuetDependencies.Scope) async throws {
                        try await self.init(
                            api: scope.resolve((any Api).self),
                            for: scope.resolve(String?.self),
                            scope.resolve((nonisolated(nonsending) () async -> Void).self)
                        )
                    }
                }
                """
        ),
        Expansion(
            "the initializer's actor comes first, and a subclass cannot call the one from a scope",
            of: "Delegating",
            """
            @Resolvable @StorageActor class Delegating {
                @MainActor init(api: any Api, _ limit: Int) {}
                convenience init(number: Int) async { fatalError() }
            }
            """,
            to: """
                nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                    [
                        DuetDependencies.ResolvedDependency((any Api).self),
                        DuetDependencies.ResolvedDependency(Int.self)
                    ]
                }

                @inline(__always)
                @MainActor required convenience init(from scope: DuetDependencies.Scope) async throws {
                    try await self.init(
                        api: scope.resolve((any Api).self),
                        scope.resolve(Int.self)
                    )
                }

                @available(*, noasync, message: "'Delegating' is created by its own 'init(api:_:)', so the subclass \
                needs an initializer that calls it")
                nonisolated static func _resolvesSubclass(of type: Delegating.Type) {
                }

                extension Delegating: DuetDependencies.Resolvable {
                }
                """
        ),
        Expansion(
            "an open class has an open list of dependencies and a required initializer",
            of: "Base",
            """
            @Resolvable open class Base {
                let api: any Api
            }
            """,
            to: """
                open nonisolated class var dependencies: [DuetDependencies.ResolvedDependency] {
                    [DuetDependencies.ResolvedDependency((any Api).self)]
                }

                @inline(__always)
                public required init(from scope: DuetDependencies.Scope) async throws {
                    self.api = try await scope.resolve((any Api).self)
                }

                extension Base: DuetDependencies.Resolvable {
                }
                """
        ),
        Expansion(
            "a subclass adds to its superclass's dependencies and stays on its actor",
            of: "Leaf",
            """
            @Resolvable @MainActor open class Leaf: Base {
                @DuetMacros.Named("leaf") let loader: Loader
                @MainActor private(set) var title: String
            }
            """,
            to: """
                open nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                    super.dependencies + [
                        DuetDependencies.ResolvedDependency(Loader.self, named: "leaf"),
                        DuetDependencies.ResolvedDependency(String.self)
                    ]
                }

                @inline(__always)
                @MainActor public required init(from scope: DuetDependencies.Scope) async throws {
                    self.loader = try await scope.resolve(Loader.self, named: "leaf")
                    self.title = try await scope.resolve(String.self)
                    Base._resolvesSubclass(of: Base.self)
                    try await super.init(from: scope)
                }
                """
        ),
        Expansion(
            "a subclass with an initializer needs only its parameters",
            of: "Declared",
            """
            @Resolvable final class Declared: Base {
                init(loader: Loader) { fatalError() }
            }
            """,
            to: """
                nonisolated override class var dependencies: [DuetDependencies.ResolvedDependency] {
                    [DuetDependencies.ResolvedDependency(Loader.self)]
                }

                @inline(__always)
                required convenience init(from scope: DuetDependencies.Scope) async throws {
                    try await self.init(loader: scope.resolve(Loader.self))
                }
                """
        ),
        Expansion(
            "a final class keeps its implicit initializer, on the caller's actor if it is nonisolated",
            of: "Loader",
            """
            @Resolvable nonisolated final class Loader {
                var count = 0
            }
            """,
            to: """
                nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                    []
                }

                @inline(__always)
                nonisolated(nonsending) convenience init(from scope: DuetDependencies.Scope) async throws {
                    self.init()
                }

                extension Loader: DuetDependencies.Resolvable {
                }
                """
        ),
        Expansion(
            "the marked initializer is called",
            of: "Store",
            """
            @Resolvable package actor Store {
                let path: String
                @Inject init(path: String) throws { self.path = path }
                init(from decoder: any Decoder) { path = "" }
            }
            """,
            to: """
                package nonisolated static var dependencies: [DuetDependencies.ResolvedDependency] {
                    [DuetDependencies.ResolvedDependency(String.self)]
                }

                @inline(__always)
                package init(from scope: DuetDependencies.Scope) async throws {
                    try await self.init(path: scope.resolve(String.self))
                }

                extension Store: DuetDependencies.Resolvable {
                }
                """
        ),
        Expansion(
            "neither a written member nor a written conformance is repeated",
            of: "Half",
            """
            @Resolvable struct Half: Resolvable {
                let limit: Int
                static var dependencies: [ResolvedDependency] { [] }
            }
            """,
            to: """
                extension Half {
                    @inline(__always)
                    init(from scope: DuetDependencies.Scope) async throws {
                        self.limit = try await scope.resolve(Int.self)
                    }
                }
                """
        ),
        Expansion(
            "a view has the scope as a property",
            of: "Toolbar",
            """
            @ResolvedScope struct Toolbar {}
            """,
            to: """
                @SwiftUI.Environment(\\.scope) private var scope
                """
        ),
    ]
}
