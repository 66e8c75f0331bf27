import Duet

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

struct NoConnection: Error, Equatable {}
