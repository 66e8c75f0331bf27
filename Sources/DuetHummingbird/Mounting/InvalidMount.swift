public import DuetHTTP
import Foundation

/// Why an API cannot be mounted, all of it at once.
public struct InvalidMount: Error, Hashable, Sendable {
    /// What is wrong and what to do about it, one sentence or two for each fault.
    public let faults: [String]
}

extension InvalidMount: DescribedError {
    /// The faults, one a line.
    public var description: String { faults.joined(separator: "\n") }
}
