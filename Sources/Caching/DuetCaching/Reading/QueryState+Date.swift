public import Duet
public import Foundation

extension QueryState {
    /// When the value was loaded; nil if that is not known.
    public var date: Date? { loaded.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
