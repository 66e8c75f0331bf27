#if Caching || HTTP

    public import Duet
    public import DuetCaching

    /// A cached query that a command changed although no rule of the cache covers the change.
    public struct UncoveredChange: Sendable, Hashable, CustomStringConvertible {
        package let query: String

        /// The change and the missing rule.
        public let description: String

        /// The missing rule, as it is written.
        let rule: String
    }

    extension CachingDispatcher {
        /// Dispatches a command, and returns the cached queries that it changed although no rule covers them.
        ///
        /// ```swift
        /// _ = try await dispatcher.dispatch(ListNotes(after: 0))
        /// let uncovered = try await dispatcher.uncoveredChanges(after: AddNote(text: "Milk"))
        /// #expect(uncovered == [])
        /// ```
        ///
        /// Dispatch the queries to check first, so that they are cached. Their handlers are called twice before and
        /// once after the command. Values that are not `Equatable` are compared by their descriptions. A query whose
        /// value differs before the command is returned, too, because it cannot be checked.
        ///
        /// - Throws: The error of the command.
        public func uncoveredChanges<C: Command>(after command: C) async throws -> [UncoveredChange] {
            try await violations(of: command).map { violation in
                guard !violation.isUnstable else {
                    let reason =
                        "\(violation.query) has another value at each load, so that its rules cannot be checked."
                    return UncoveredChange(query: violation.query, description: reason, rule: reason)
                }
                let rule = "Invalidate(\(violation.queryType).self, after: \(C.self).self)"
                return UncoveredChange(
                    query: violation.query,
                    description: """
                        \(C.messageName) changed the value of \(violation.query), but the cached value stays fresh. \
                        Add: \(rule)
                        """,
                    rule: rule
                )
            }
        }
    }

#endif
