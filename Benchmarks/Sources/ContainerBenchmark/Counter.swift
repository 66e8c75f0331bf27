import Synchronization

/// Counts.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    func increment() { number.add(1, ordering: .relaxed) }
}

/// A singleton that many tasks resolve.
final class Connection: Sendable {
    init(counting counter: Counter) {
        counter.increment()
    }
}

/// A registration of a singleton created no instance, or more than one.
struct WrongInstance: Error {
    let instances: Int
}
