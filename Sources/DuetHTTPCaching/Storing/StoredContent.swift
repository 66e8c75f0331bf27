/// Which bytes of a representation are stored (RFC 9111, section 3.3).
package enum StoredContent: Sendable, Hashable, Codable {
    /// No body: an answer to HEAD, or one whose body has not come yet.
    case none

    /// All, as many as it says.
    case whole(Int64)

    /// Some, counted from the beginning of the representation; `of` is the length of the whole, when it is known.
    case part(Range<Int64>, of: Int64?)

    /// Where the stored bytes lie in the representation.
    package var range: Range<Int64> {
        switch self {
        case .none: 0..<0
        case .whole(let length): 0..<length
        case .part(let range, _): range
        }
    }

    /// The length of the whole representation, when it is known.
    package var completeLength: Int64? {
        switch self {
        case .none: nil
        case .whole(let length): length
        case .part(_, let length): length
        }
    }

    /// Whether it can be; what was read back may have been damaged.
    var isConsistent: Bool {
        switch self {
        case .none: true
        case .whole(let length): length >= 0
        case .part(let range, let length): range.lowerBound >= 0 && !range.isEmpty && range.upperBound <= length ?? .max
        }
    }
}
