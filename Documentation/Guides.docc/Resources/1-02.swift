import Duet

struct Talk {
    let id: String
    var stars = 0
}

struct LoadTalk: Query {
    typealias Value = Talk
    let id: String
}

struct RateTalk: Command {
    let id: String
    let stars: Int
}
