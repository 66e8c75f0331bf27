import Duet
import DuetHTTP

/// A command of the usual size.
struct RateTalk: HTTPCommand {
    static let path = "v1/events/{event}/ratings"
    static let method = CommandMethod.post

    let event: String
    let talk: Int
    let stars: Int
    let comment: String
}
