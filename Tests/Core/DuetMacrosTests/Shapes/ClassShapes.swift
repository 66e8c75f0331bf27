public import DuetMacros

@Resolvable
final class Final {
    let api: any Api
    let counter: Counter
}

@Resolvable class Base { let counter: Counter }
@Resolvable class Middle: Base {
    let api: any Api
    let other: Counter
}
@Resolvable final class Leaf: Middle { let name: String }
@Resolvable final class LeafWithoutMore: Middle { var name = "" }
@Resolvable final class LeafWithInitializer: Base {
    let name: String

    init(scope: Scope, name: String) async throws {
        self.name = name
        try await super.init(from: scope)
    }
}

@Resolvable class Delegating {
    let counter: Counter

    init(counter: Counter) { self.counter = counter }
}
@Resolvable final class DelegatingLeaf: Delegating {
    let name: String

    init(counter: Counter, name: String) {
        self.name = name
        super.init(counter: counter)
    }
}
@Resolvable class DelegatingMiddle: Delegating {
    let number: Int

    init(number: Int, counter: Counter) {
        self.number = number
        super.init(counter: counter)
    }
}
@Resolvable final class DelegatingLeafWithoutMore: Delegating { var name = "" }
@Resolvable final class FinalDelegating {
    let counter: Counter

    init(counter: Counter) { self.counter = counter }

    convenience init() { self.init(counter: Counter()) }
}
@Resolvable class GenericBase<Store: FeedStore> { let store: Store }
@Resolvable final class GenericLeaf<Store: FeedStore>: GenericBase<Store> { let name: String }

@Resolvable final class DefaultsOnly { var count = 1 }
@Resolvable class OpenDefaults { var count = 1 }

class Plain { init() {} }
@Resolvable final class PlainSubclass: Plain { let counter: Counter }
@Resolvable final class HomeScreen: Screen { let counter: Counter }
@Resolvable final class DeclaredScreen: Screen, Resolvable { let counter: Counter }
@Resolvable class BaseScreen: Screen { let counter: Counter }
@Resolvable final class LeafScreen: BaseScreen, Logging { let name: String }

/// A public class.
@Resolvable public class PublicBase { let counter: Counter }
/// An open class.
@Resolvable open class OpenBase { let counter: Counter }
/// An open subclass.
@Resolvable open class OpenSubclass: OpenBase { let api: any Api }
/// An open class with its own initializer.
@Resolvable open class OpenDelegating {
    /// Creates an instance with a number.
    public init(number: Int) {}
}
/// A final class.
@Resolvable public final class PublicFinal: Sendable { let name: String }
@Resolvable fileprivate final class Hidden { let counter: Counter }

/// A public actor.
@Resolvable public actor PublicActor {
    let counter: Counter
    var api: any Api
    var count = 0
}
@Resolvable actor DelegatingActor {
    let counter: Counter

    init(counter: Counter) { self.counter = counter }
}
@Resolvable actor ThrowingActor {
    let name: String

    init(name: String) async throws { self.name = name }
}

private func keepImplicit() -> DefaultsOnly { DefaultsOnly() }
