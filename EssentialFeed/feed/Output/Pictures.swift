import Foundation

/// The pictures of a feed for a terminal that can show them.
struct Pictures {
    static let none = Pictures(kind: nil, data: [:])

    private static let lines = 6

    /// The protocol of the terminal; without one there are no pictures.
    let kind: PictureProtocol?
    let data: [UUID: Data]

    var isEmpty: Bool { data.keys.allSatisfy { sequence(for: $0) == nil } }

    /// Returns the control sequence for the picture of an image; nil if it cannot be shown.
    func sequence(for id: UUID) -> String? {
        data[id].flatMap { kind?.sequence(for: $0, lines: Self.lines) }
    }
}
