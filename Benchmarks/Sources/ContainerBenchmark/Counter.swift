import Synchronization

/// Counts.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    func increment() { number.add(1, ordering: .relaxed) }
}

/// A singleton that any number of tasks ask for.
final class Connection: Sendable {
    init(counting counter: Counter) {
        counter.increment()
    }
}

/// More than one singleton was made of one registration, or none.
struct WrongInstance: Error {
    let instances: Int
}
