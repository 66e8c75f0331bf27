import Duet
import DuetHTTP

/// A command with ten small properties, which are sent as a JSON body.
struct AddSpeaker: HTTPCommand, Equatable {
    static let route: CommandRoute<Self> = .post("v1/events/{event}/speakers")

    let event: String
    let id: Int
    let firstName: String
    let lastName: String
    let email: String
    let talks: Int
    let isKeynote: Bool
    let fee: Double
    let biography: String?
    let tags: [String]

    static let sample = AddSpeaker(
        event: "let swift/13",
        id: 1_302,
        firstName: "Ada",
        lastName: "Lovelace",
        email: "ada@example.com",
        talks: 3,
        isKeynote: true,
        fee: 12.5,
        biography: nil,
        tags: ["swift", "servers"]
    )
}

/// The same properties, sent as parameters of the query.
struct RemoveSpeakers: HTTPCommand {
    static let route: CommandRoute<Self> = .delete(AddSpeaker.route.path)

    let event: String
    let id: Int
    let firstName: String
    let lastName: String
    let email: String
    let talks: Int
    let isKeynote: Bool
    let fee: Double
    let biography: String?
    let tags: [String]

    init(_ speaker: AddSpeaker) {
        event = speaker.event
        id = speaker.id
        firstName = speaker.firstName
        lastName = speaker.lastName
        email = speaker.email
        talks = speaker.talks
        isKeynote = speaker.isKeynote
        fee = speaker.fee
        biography = speaker.biography
        tags = speaker.tags
    }
}
