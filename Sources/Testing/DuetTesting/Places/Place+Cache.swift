#if Caching || HTTP

    import Duet
    public import DuetCaching

    extension Place {
        /// A cache in front of the dispatcher.
        ///
        /// Each query is dispatched twice, so that its cached value is compared, too. These are findings as well:
        ///
        /// - A command changes a cached value of a query in any example, and no rule invalidates it. The finding has
        ///   the rule to write.
        /// - A value that is kept in a store differs after it was encoded and decoded.
        /// - A handler has read something that nobody can track, and the query's rule has no policy.
        ///
        /// - Parameter makeCache: Returns a new cache with its rules, for each example.
        public static func cache(_ makeCache: @escaping @Sendable () throws -> QueryCache) -> Place {
            Place(name: .cache) { visit, dispatcher in
                let cached = dispatcher.caching(with: try makeCache())
                let door = cached.authorizing(visit.suite.api)
                var findings: [Finding] = []
                var uncovered: [UncoveredChange] = []
                for (index, step) in visit.example.steps.enumerated() {
                    let outcomes: [StepOutcome]
                    if let command = step.command {
                        await visit.suite.fill(cached)
                        let dispatch = {
                            try await visit.suite.admit(command)
                            uncovered += try await cached.uncoveredChanges(after: command)
                        }
                        if let performAfter = step.performAfter {
                            outcomes = [await performAfter(door, dispatch)]
                        } else {
                            outcomes = [await .of(dispatch)]
                        }
                    } else {
                        outcomes = [await step.perform(door), await step.perform(door)]
                    }
                    let change = uncovered.first { $0.query == step.reflection }
                    let finding = outcomes.lazy
                        .compactMap { visit.finding(index, $0) { _ in change?.description } }.first
                    if let finding { findings.append(finding.caused(byMissing: change?.rule)) }
                    if outcomes.last?.error != nil { break }
                }
                for change in uncovered where !findings.contains(where: { $0.rule == change.rule }) {
                    findings.append(Finding(visit, 0, [change.description]).caused(byMissing: change.rule))
                }
                let untracked = cached.cache.untrackedQueries.sorted { $0.key < $1.key }
                findings += untracked.map { Finding(.cache, message: $0.key, "\($0.key):", [$0.value]) }
                return findings + cached.cache.storedCopies.compactMap(Finding.init)
            }
        }
    }

    extension MessageSuite {
        /// Accepts a command as the door does, or refuses it.
        fileprivate func admit(_ command: any Command) async throws {
            do { try await Admissions(api).admit(command, of: .current) } catch let refusal as Refusal {
                throw refusal.error
            }
        }

        fileprivate func fill(_ cached: CachingDispatcher) async {
            for step in examples.flatMap(\.steps) where step.command == nil { _ = await step.perform(cached) }
        }
    }

    extension Finding {
        /// Returns nil for a value that a store returns as it was.
        fileprivate init?(_ stored: StoredCopy) {
            let line: String
            switch stored.copy {
            case .success(let copy):
                guard let difference = StepOutcome.Difference(stored.value, copy) else { return nil }
                line = difference.details
            case .failure(let error): line = "found \(StepOutcome.text(of: error, named: true))"
            case nil: line = "The query is not equal to itself after it was encoded and decoded, so it is not stored."
            }
            self.init(
                .cache,
                message: stored.name,
                "\(stored.query), in the store of the cache:",
                ["The value is not encoded and decoded as it was loaded.", line]
            )
        }
    }

#endif
