import Foundation

/// The pictures of a feed for a terminal that can show them.
struct Pictures {
    /// No pictures.
    static let none = Pictures(kind: nil, data: [:])

    private static let lines = 6

    private let kind: PictureProtocol?
    private let data: [UUID: Data]

    /// Creates pictures from the bytes of images; without a protocol there are none.
    init(kind: PictureProtocol?, data: [UUID: Data]) {
        self.kind = kind
        self.data = data
    }

    /// Whether no picture can be shown.
    var isEmpty: Bool { data.keys.allSatisfy { sequence(for: $0) == nil } }

    /// Returns the control sequence for the picture of an image; nil if it cannot be shown.
    func sequence(for id: UUID) -> String? {
        data[id].flatMap { kind?.sequence(for: $0, lines: Self.lines) }
    }
}
