import Duet

struct Rename: Command, Equatable {
    static let messageName = "rename"
    let name: String
}

struct Count: Query, Equatable {
    typealias Value = Int
    static let messageName = "count"
}

/// A query whose value is not `Sendable`.
struct Open: Query {
    typealias Value = Notebook
    static let messageName = "open"
}

final class Notebook {
    var pages = 0
}
