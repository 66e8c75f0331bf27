public import DuetMacros

@Resolvable
struct EveryProperty {
    let api: any Api
    let both: any Api & Logging
    private let counter: Counter
    var optional: Counter?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var implicit: (any Api)!
    let list: [any Api], table: [String: Int]
    let first, second: Int
    let limit = 5
    var attempts = 3
    static let shared = 1
    var computed: Int { 1 }
    lazy var late = 2
    weak var parent: Counter?
    var observed: Int { didSet {} }
    let work: @Sendable (Int) async throws -> Void
    let plain: () -> Int
    let job: nonisolated(nonsending) () async -> Void
    let main: @MainActor () -> Void
    @Named("primary") let primary: any Api
    @Named(.replica) let replica: (any Api)?
    let scope: Scope
    let `default`: Double
    let nested: Swift.String
    let meta: Int.Type
    let tuple: (Int, String)
}

@Resolvable struct Empty {}
@Resolvable struct EmptyInitializer { init() {} }
@Resolvable struct EffectsOnly { init() async throws {} }
@Resolvable struct Throwing { init(api: any Api) throws {} }
@Resolvable struct Asynchronous { nonisolated(nonsending) init(api: any Api) async {} }

@Resolvable
struct Initialized {
    let counter: Counter

    init(counter: Counter, _ api: any Api, for name: String, limit: Int = 5) {
        self.counter = counter
    }
}

@Resolvable
struct Ownership {
    init(
        a: consuming Counter,
        b: borrowing Counter,
        c: sending Counter,
        d: @escaping @Sendable () -> Void,
        e: @escaping () -> Void,
        f: Counter!,
        g: (() -> Void)?,
        h: __owned [Int],
        i: nonisolated(nonsending) @escaping () async -> Void
    ) {}
}

@Resolvable
struct Marked {
    let api: any Api

    init(number: Int) { api = LiveApi() }

    @Inject init(api: any Api) { self.api = api }
}

@Resolvable
struct ByHand {
    let counter: Counter

    nonisolated static var dependencies: [ResolvedDependency] { [ResolvedDependency(Counter.self)] }

    init(from scope: Scope) async throws {
        counter = try await scope.resolve()
    }
}

@Resolvable
struct HalfByHand {
    let counter: Counter

    nonisolated static var dependencies: [ResolvedDependency] {
        [ResolvedDependency(Counter.self), ResolvedDependency(Int.self)]
    }
}

@Resolvable struct HomePage: Screen { let counter: Counter }
@Resolvable struct Declared: Resolvable { let counter: Counter }
@Resolvable struct Generic<Store: FeedStore, Value> {
    let store: Store
    let values: [Value]
}

extension Generic {
    @Resolvable struct Inner { let store: Store }
}

enum Outer {
    @Resolvable
    struct Nested {
        let counter: Counter

        @Resolvable final class Deep { let counter: Counter }
    }

    @Resolvable fileprivate struct Hidden { let counter: Counter }
}

/// A public struct.
@Resolvable public struct PublicStruct { let counter: Counter }
@Resolvable package struct PackageStruct { let counter: Counter }
@Resolvable private struct PrivateStruct { let counter: Counter }

private func keepMemberwise(_ counter: Counter) -> (HomePage, PublicStruct) {
    (HomePage(counter: counter), PublicStruct(counter: counter))
}
