#if HTTP

    public import DuetHTTP
    import Foundation

    /// A ``MockHTTPClient`` was given a request that the test does not expect, or not once more.
    public struct UnexpectedRequest: Error, Hashable, Sendable {
        /// Method and path of the request.
        public let request: String

        /// Method and path of what was still expected when it came.
        public let expected: [String]
    }

    extension UnexpectedRequest: DescribedError {
        /// What came, what was expected, and what to write.
        public var description: String {
            let others = expected.isEmpty ? "nothing more" : expected.joined(separator: ", ")
            let parts = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let advice = "client.expect(.\(parts[0].lowercased()), \"\(parts[1])\", …)"
            return "Nothing expects \(request); expected was \(others). If it is right, say what it answers: \(advice)"
        }
    }

#endif
