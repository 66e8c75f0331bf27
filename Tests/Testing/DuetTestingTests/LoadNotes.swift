import Duet

struct LoadNotes: Query, Equatable {
    typealias Value = [String]
    var after: Int
}
