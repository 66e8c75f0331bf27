/// The stored bytes of a representation (RFC 9111, section 3.3).
package enum StoredContent: Sendable, Hashable, Codable {
    /// No body: a response to HEAD, or one whose body has not arrived yet.
    case none

    /// The whole representation of this length.
    case whole(Int64)

    /// A range of the representation.
    ///
    /// `of` is the length of the whole, if known.
    case part(Range<Int64>, of: Int64?)

    /// The range of the stored bytes in the representation.
    package var range: Range<Int64> {
        switch self {
        case .none: 0..<0
        case .whole(let length): 0..<length
        case .part(let range, _): range
        }
    }

    /// The length of the whole representation, if known.
    package var completeLength: Int64? {
        switch self {
        case .none: nil
        case .whole(let length): length
        case .part(_, let length): length
        }
    }

    /// Whether the range is valid.
    ///
    /// A damaged store may return an invalid one.
    var isConsistent: Bool {
        switch self {
        case .none: true
        case .whole(let length): length >= 0
        case .part(let range, let length): range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= length ?? .max
        }
    }
}
