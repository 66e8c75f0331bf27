import Duet
import DuetHTTP

/// A query for a page of ten speakers.
struct LoadSpeakers: HTTPQuery, Hashable, Filterable, Orderable, Pageable {
    typealias Value = Speakers

    static let route: QueryRoute<Self> = .get("v1/events/{event}/speakers")

    let event: String
    let filter: SpeakerFilter?
    let order: SpeakerOrder
    let page: String?
}

struct SpeakerFilter: Codable, Hashable, Sendable {
    let name: String?
    let minimumTalks: Int?
}

enum SpeakerOrder: String, Codable, Sendable {
    case name
    case talks
}

struct Speakers: Codable, Equatable, Sendable {
    let items: [Speaker]
    let next: String?

    static let sample = Speakers(
        items: (1...10).map { number in
            Speaker(
                id: number,
                name: "Speaker number \(number)",
                talks: number % 4,
                biography: "Writes servers in Swift, and speaks of what she learnt from number \(number)."
            )
        },
        next: "after-10"
    )
}

struct Speaker: Codable, Equatable, Sendable {
    let id: Int
    let name: String
    let talks: Int
    let biography: String
}
