import Duet
import Synchronization

struct LoadNotes: Query, Hashable, Codable {
    typealias Value = [String]
    var folder = "home"
}

struct LoadNote: Query, Hashable {
    typealias Value = String
    let id: Int
}

struct AddNote: Command {
    var text = "Milk"
    var folder = "home"
}

struct RemoveNote: Command {}

struct SignOut: Command {}

/// Counts from 1.
final class Counter: Sendable {
    private let last = Atomic(0)

    var count: Int { last.load(ordering: .relaxed) }

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}

struct NoConnection: Error, Equatable {}
