import Duet
import DuetHTTP

/// A command of the usual size.
struct RateTalk: HTTPCommand {
    static let route: CommandRoute<Self> = .post("v1/events/{event}/ratings")

    let event: String
    let talk: Int
    let stars: Int
    let comment: String
}
